# One image for every process: `node dist/src/server.js`, `worker.js`, `cli.js`, and for tests `dist/sandbox/simulator.js`.
# A release names the base by its digest, so that the tag cannot change beneath it: docs/operations/deploy.md, "The image".
ARG NODE_IMAGE=node:22-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The sources are only compiled here: no package has to set itself up.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY data data
COPY src src
COPY sandbox sandbox
# Which version this is, for Temporal: the image's tag. Without it, version and a digest of the workflows.
ARG BUILD_ID
# Compiles, and bundles the workflows, so that no worker has to when it starts.
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing of a package runs while it is installed; those that we use bring what they need ready made.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Temporal's native client comes for seven platforms, 20 MB and more each: only this one's is loaded.
RUN cd node_modules/@temporalio/core-bridge/releases && test -d "$(uname -m)-unknown-linux-gnu" \
  && find . -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
# What is in the image, by package and version, to look for known holes.
RUN npm pkg delete devDependencies && npm sbom --sbom-format cyclonedx > sbom.json

FROM ${NODE_IMAGE}
# Temporal's native client verifies TLS with the system's certificates.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# A container is reached from outside or not at all.
# Look-ups of names hold a thread each (docs/operations/reach.md).
ENV NODE_ENV=production API_HOST=0.0.0.0 PAY_HOST=0.0.0.0 UV_THREADPOOL_SIZE=32
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.json ./
COPY --from=build /app/dist dist
COPY package.json LICENSE CHANGELOG.md ./
COPY bin bin
RUN ln -s /app/bin/malipo.js /usr/local/bin/malipo
COPY migrations migrations
COPY deploy deploy
COPY docs docs
# `node`, by its number: Kubernetes cannot tell from a name that it is not root (runAsNonRoot).
USER 1000:1000
EXPOSE 3000 3001
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/src/server.js"]
