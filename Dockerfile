# syntax=docker/dockerfile:1
# One image for the server, the bot host and the clients: `docker run pharos`, `docker run pharos clients.bots.host`.
ARG PYTHON=docker.io/library/python:3.11-slim-bookworm

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY deploy/locks deploy/locks
RUN python -m venv /opt/pharos \
 && pip install --require-hashes --only-binary=:all: --requirement deploy/locks/build.txt \
 && /opt/pharos/bin/pip install --require-hashes --only-binary=:all: --requirement deploy/locks/image.txt
COPY pyproject.toml README.md LICENSE ./
COPY protocol protocol
COPY server server
COPY clients clients
RUN pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /wheels . \
 && /opt/pharos/bin/pip install --no-deps --no-index --find-links /wheels pharos-tables \
 && /opt/pharos/bin/pip uninstall --yes pip setuptools

FROM ${PYTHON}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pharos" \
      org.opencontainers.image.description="A real-time service for board games" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Nothing in the image installs anything; the embedded store's folder belongs to who writes it.
RUN pip uninstall --yes --root-user-action=ignore pip setuptools wheel \
 && install --directory --owner=10001 --group=10001 /data
COPY --from=build /opt/pharos /opt/pharos
ENV PATH=/opt/pharos/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PHAROS_HOST=0.0.0.0 \
    PHAROS_LOG=json \
    PHAROS_STORE=sqlite:////data/pharos.db
# The only place that is written to, and only by the embedded store: everything else may be read-only.
WORKDIR /data
VOLUME ["/data"]
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["python", "-m", "server.support.health"]
# Python is process 1 and gets the signals itself.
ENTRYPOINT ["python", "-m"]
CMD ["server"]
