import { type Application, defaultSettings } from '#base/model';
import { applicationRoutes } from '../src/serve/server/methods/applications/routes.ts';
import type { MethodDeps } from '../src/serve/server/methods/deps.ts';
import type { RestOptions } from '../src/serve/server/rest/serve.ts';
import { policyOf } from '../test/policy.ts';

/** Lets jane get every application, after a thousand lines about others. */
export const policyCsv = [
  ...Array.from({ length: 1_000 }, (_, i) => `p, role:${i}, applications, get, team-${i}/*, allow`),
  'g, jane, role:everything',
  'p, role:everything, applications, get, */*, allow',
].join('\n');

const hex = (seed: number, length: number): string => {
  let [text, state] = ['', seed + 1];
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += state.toString(16).padStart(8, '0');
  }
  return text.slice(0, length);
};

/** An application of thirty resources and a history, as a controller leaves it. */
export function applicationOf(i: number): Application {
  const namespace = `ns-${i}`;
  const source = {
    repoURL: `https://git.example/org/repo-${i}.git`,
    path: `deploy/${i}`,
    targetRevision: 'main',
  };
  const health = { status: 'Healthy' as const };
  const resources = Array.from({ length: 30 }, (_, k) => ({
    ...(k % 3 === 0 && { group: 'apps' }),
    version: 'v1',
    kind: k % 3 === 0 ? 'Deployment' : 'ConfigMap',
    namespace,
    name: `resource-${k}`,
    status: 'Synced',
    health,
  }));
  const history = Array.from({ length: 5 }, (_, id) => ({
    id,
    revision: hex(i * 7 + id, 40),
    deployedAt: '2026-01-01T00:00:00Z',
    source,
  }));
  const app = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `app-${i}`, namespace: 'argocd', uid: hex(i, 32), resourceVersion: String(1000 + i) },
    spec: {
      project: `team-${i % 1_000}`,
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
    status: {
      sync: { status: 'Synced', revision: hex(i, 40) },
      health,
      resources,
      history,
      reconciledAt: '2026-01-01T00:00:00Z',
    },
  };
  return app as unknown as Application;
}

/** The API for a user of one role among 1,000 policy lines, who sees what `list` returns at the time of a request. */
export function servedTo(list: () => readonly Application[]): RestOptions {
  const deps = {
    apps: { list: () => [...list()] },
    context: { namespace: 'argocd', settings: () => defaultSettings },
  } as unknown as MethodDeps;
  const subject = { user: 'jane', isLocal: true };
  const user = {
    username: 'jane',
    issuer: 'argocd',
    subject,
    kind: 'login' as const,
    token: { id: 'x', issued: 0 },
  };
  return {
    routes: applicationRoutes(deps),
    policy: policyOf({ 'policy.csv': policyCsv }),
    audit: async () => {},
    reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
    sessions: {
      verify: async () => user,
      renewed: async () => undefined,
      isAnonymousAllowed: false,
      untilEnd: async () => {},
    },
  };
}
