// Just enough of a client to furnish a test cluster: requests as its administrator, and server-side apply.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';

/** Speaks to the cluster in the folder. Answers parsed JSON, or text; throws what the server refuses. */
export function apiOf(folder) {
  const { clusters, users } = load(readFileSync(join(folder, 'kubeconfig'), 'utf8'));
  const read = (text) => Buffer.from(text, 'base64');
  const access = {
    ca: read(clusters[0].cluster['certificate-authority-data']),
    cert: read(users[0].user['client-certificate-data']),
    key: read(users[0].user['client-key-data']),
  };
  const { server } = clusters[0].cluster;
  const call = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type };
      const asked = request(`${server}${path}`, { ...access, method, headers, timeout: 10_000 }, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (answer.statusCode >= 400) reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
          else resolve(answer.headers['content-type']?.includes('json') ? JSON.parse(text) : text);
        });
      });
      asked.on('error', reject);
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)));
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { call, apply: applier(call) };
}

/** Applies every object of a YAML text, one after the other, whoever owns its fields. */
function applier(call) {
  const resources = new Map();
  const resourceOf = async ({ apiVersion, kind }) => {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!resources.has(path)) resources.set(path, (await call('GET', path)).resources);
    const found = resources.get(path).find((one) => one.kind === kind && !one.name.includes('/'));
    if (!found) throw new Error(`the cluster has no ${kind} in ${apiVersion}`);
    return { path, ...found };
  };
  return async (text) => {
    for (const object of loadAll(text).filter(Boolean)) {
      const { path, name, namespaced } = await resourceOf(object);
      const place = namespaced ? `/namespaces/${object.metadata.namespace ?? 'default'}` : '';
      const url = `${path}${place}/${name}/${object.metadata.name}?fieldManager=fairlead-tools&force=true`;
      await call('PATCH', url, object, 'application/apply-patch+yaml');
    }
  };
}
