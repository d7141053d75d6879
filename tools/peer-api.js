// The calls of the peer's public API (docs/contract/server.md §2.8 and §2.9), and why some of them are not answered.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Recorded from its own OpenAPI document (docs/testing.md). */
const { calls } = JSON.parse(readFileSync(new URL('./oracles/argocd/calls.json', import.meta.url), 'utf8'));

/** Every call that is not answered has a reason here, and nothing else has one. */
const reasons = {};

/** The endpoints of the API, as `METHOD /path` with `{}` for each part that the caller fills in. */
async function answered() {
  const { outputFiles } = await build({
    entryPoints: ['src/serve/api/services.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const { services } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return new Set(
    Object.values(services).flatMap((service) =>
      Object.values(service).map(({ method, path }) => `${method} ${path.replace(/[:*][a-zA-Z]+/g, '{}')}`),
    ),
  );
}

/** The calls that are not answered, each with its reason. Throws where a reason is missing, or stands for nothing. */
export async function missingCalls() {
  const known = await answered();
  const missing = calls.filter((call) => !known.has(call));
  const unexplained = missing.filter((call) => !(call in reasons));
  if (unexplained.length > 0)
    throw new Error(`tools/peer-api.js has no reason for ${unexplained.join(', ')}`);
  const stale = Object.keys(reasons).filter((call) => !missing.includes(call));
  if (stale.length > 0)
    throw new Error(`tools/peer-api.js has a reason for what is answered: ${stale.join(', ')}`);
  return { all: calls.length, missing: missing.map((call) => ({ call, reason: reasons[call] })) };
}
