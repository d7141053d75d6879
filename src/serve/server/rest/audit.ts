import { randomUUID } from 'node:crypto';
import type { Ctx } from '#base/std';
import type { PathParams } from '#serve/api';
import type { SessionUser } from '../auth/tokens.ts';
import type { MethodCall } from './request.ts';
import type { RestRoute } from './routes.ts';

/** One line of the audit log, in the words of Kubernetes' own. */
export type AuditRecord = {
  readonly stage: 'RequestReceived' | 'ResponseComplete';
  /** The same for both stages of a request. */
  readonly id: string;
  readonly time: string;
  /** Empty for a caller that is not signed in. */
  readonly user: string;
  readonly issuer?: string;
  readonly address: string;
  readonly method: string;
  /** The path of the endpoint, and what stands for its marks. */
  readonly route: string;
  readonly params: PathParams;
  readonly query?: Readonly<Record<string, string>>;
  /** The fields of the body that say what was requested; never one that can contain a secret. */
  readonly content?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly ms?: number;
};

/** Appends a record; resolves when it is written. Must not throw. */
export type AuditSink = (ctx: Ctx, record: AuditRecord) => Promise<void>;

const resource = ['group', 'kind', 'namespace', 'resourceName', 'action'];
const recorded: Readonly<Record<string, readonly string[]>> = {
  'POST /api/v1/applications/:name/sync': [
    'revision',
    'revisions',
    'prune',
    'dryRun',
    'resources',
    'appNamespace',
  ],
  'POST /api/v1/applications/:name/rollback': ['id', 'prune', 'dryRun', 'appNamespace'],
  'POST /api/v1/applications/:name/resource/actions/v2': resource,
  'POST /api/v1/repositories': ['repo', 'name', 'project'],
  'POST /api/v1/repocreds': ['url'],
  'POST /api/v1/clusters': ['server', 'name', 'project'],
  'POST /api/v1/session': ['username'],
  'PUT /api/v1/account/password': ['name'],
  'POST /api/v1/account/:name/token': ['id', 'expiresIn'],
  'POST /api/v1/projects/:project/roles/:role/token': ['id', 'expiresIn', 'description'],
};

/** What changes something, a read with a side effect, and a terminal: what is done there is not seen by us. */
const isAudited = ({ endpoint }: RestRoute, { query }: MethodCall): boolean =>
  endpoint.method !== 'GET' || query.has('refresh') || endpoint.path === '/terminal';

/**
 * Records a request before its method runs and after its response is known: a process that dies in between leaves the first
 * record. Reads are not recorded, except those that are refused with 403.
 */
export class RequestAudit {
  readonly #sink: AuditSink;
  #at: Date | undefined;
  /** Made when it is needed: most reads are not recorded. */
  #record: () => AuditRecord = () => {
    throw new Error('nothing was received');
  };
  #isRecorded = false;

  constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  async received(ctx: Ctx, route: RestRoute, call: MethodCall): Promise<void> {
    const at = ctx.clock.now();
    this.#at = at;
    this.#isRecorded = isAudited(route, call);
    if (!this.#isRecorded) {
      this.#record = () => recordOf(route, call, at);
      return;
    }
    const record = recordOf(route, call, at);
    this.#record = () => record;
    await this.#sink(ctx, record);
  }

  async completed(ctx: Ctx, status: number): Promise<void> {
    if (!this.#at || !(this.#isRecorded || status === 403)) return;
    const now = ctx.clock.now();
    await this.#sink(ctx, {
      ...this.#record(),
      stage: 'ResponseComplete',
      time: now.toISOString(),
      status,
      ms: now.getTime() - this.#at.getTime(),
    });
  }
}

function recordOf({ endpoint }: RestRoute, call: MethodCall, at: Date): AuditRecord {
  const { method, path } = endpoint;
  const content = contentOf(`${method} ${path}`, call.body);
  const query = Object.fromEntries([...call.query].filter(([name]) => isShown(path, name)));
  return {
    stage: 'RequestReceived',
    id: randomUUID(),
    time: at.toISOString(),
    ...identityOf(call.user),
    address: call.client.address,
    method,
    route: path,
    params: Object.fromEntries(
      Object.entries(call.params).map(([name, text]) => [name, withoutPassword(text)]),
    ),
    ...(Object.keys(query).length > 0 && { query }),
    ...(content && { content }),
  };
}

/** compat server §2.8: the peer's clients send every credential of a repository in the query of its validation. */
const isShown = (path: string, parameter: string): boolean =>
  !path.endsWith('/validate') || ['project', 'type', 'name'].includes(parameter);

/** A repository is named by its URL, which may have a user and a password. */
const withoutPassword = (text: string): string => text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

const shownIn = (value: unknown): unknown => (typeof value === 'string' ? withoutPassword(value) : value);

const identityOf = (user: SessionUser | undefined) =>
  user ? { user: user.username, issuer: user.issuer } : { user: '' };

function contentOf(name: string, body: unknown): Record<string, unknown> | undefined {
  const fields = recorded[name];
  if (!fields || typeof body !== 'object' || body === null) return undefined;
  const given = body as Record<string, unknown>;
  const picked = fields.flatMap((field) =>
    given[field] === undefined ? [] : [[field, shownIn(given[field])] as const],
  );
  return Object.fromEntries(picked);
}
