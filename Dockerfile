# Two stages: the first installs what requirements.lock pins, the second carries only the result and runs as nobody
# in particular over a read-only file system; /data is the one place it writes.
FROM python:3.11-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
WORKDIR /build
RUN python -m venv /opt/gpu-advisor
COPY requirements.lock ./
# PyPI's Linux build of torch brings gigabytes of CUDA; this index carries the CPU build of the same version.
RUN /opt/gpu-advisor/bin/pip install --index-url "$TORCH_INDEX" "$(sed -n 's/^\(torch==[^ ;]*\).*/\1/p' requirements.lock)" \
    && /opt/gpu-advisor/bin/pip install --no-deps --requirement requirements.lock
COPY pyproject.toml README.md ./
COPY kb kb
COPY tools tools
COPY ingest ingest
COPY assistant assistant
COPY ui ui
RUN /opt/gpu-advisor/bin/pip install --no-deps --no-build-isolation . \
    && find /opt/gpu-advisor -name tests -type d -path '*/site-packages/*' -prune -exec rm -rf {} +

FROM python:3.11-slim-bookworm

RUN groupadd --gid 10001 advisor \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin advisor \
    && install --directory --owner=10001 --group=10001 --mode=0750 /data
COPY --from=build /opt/gpu-advisor /opt/gpu-advisor
ENV PATH=/opt/gpu-advisor/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=2 \
    OMP_NUM_THREADS=2 \
    GPU_ADVISOR_HOME=/data \
    GPU_ADVISOR_HOST=0.0.0.0 \
    GPU_ADVISOR_PORT=7860
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --retries=4 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["gpu-advisor"]
CMD ["chat"]
