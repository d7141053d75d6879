import { expect } from 'vitest';
import type { Application } from '#base/model';
import { gitRepository } from '../git-repository.ts';
import { configMap } from '../manifests.ts';
import { undocumentedIn } from './documented.ts';
import { isSettled } from './fairlead.ts';
import { type Actor, applicationOf, startTenants, type Tenants } from './tenants.ts';

/** The path of applications in the API. */
export const at = '/api/v1/applications';

export type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly text: string;
};

/** A started program with the application `api` of project shop: a ConfigMap, a Secret and a Deployment of two pods. */
export type ApiGround = Tenants & {
  /** The URL of its repository. */
  readonly repository: string;
  /** A request as JSON; fails when the response holds a planted secret, or is not as documented. */
  send(method: string, path: string, body?: unknown, who?: Actor): Promise<Answer>;
  app(name?: string): Promise<Application>;
};

const secret = `apiVersion: v1
kind: Secret
metadata: { name: keys }
stringData: { password: canary-in-git }
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1" }] }
`;

export async function startApi(): Promise<ApiGround> {
  const tenants = await startTenants();
  const { fairlead } = tenants;
  const made = await gitRepository(`${fairlead.folder}/api`);
  await made.commit({ 'all.yaml': [configMap('settings'), secret, deployment].join('---\n') });
  const repository = `file://${made.dir}`;
  const { spec, ...rest } = applicationOf('api', 'shop', repository);
  await fairlead.kubectl('create', 'namespace', 'api');
  await fairlead.apply({ ...rest, spec: { ...spec, syncPolicy: { automated: {} } } });
  await fairlead.until('api', 'settled', isSettled);
  const send: ApiGround['send'] = async (method, path, body, who = 'admin') => {
    const answer = await tenants.ask(who, method, path, body);
    const text = await answer.text();
    expect(text).not.toContain('canary');
    if (answer.status === 200) expect(undocumentedIn(method, path, text)).toEqual([]);
    expect(text).not.toContain(Buffer.from('canary-in-git').toString('base64'));
    return { status: answer.status, body: JSON.parse(text || '{}'), text };
  };
  const app = async (name = 'api') => (await send('GET', `${at}/${name}`)).body as unknown as Application;
  return { ...tenants, repository, send, app };
}

/** Repeats a request until it answers as expected; Vitest's own second is not enough on a busy machine. */
export const poll = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 15_000, interval: 50 });
