import type { Ctx } from '#base/std';
import { type KindRef, type KubeClient, KubeError } from '#kubernetes/client';

/** One request, and its result. */
type Request = {
  /** Argo CD's name of it: Get, Create, Update, Patch, Delete. */
  readonly verb: string;
  /** The kubectl command for it; undefined for a mere read. */
  readonly command: string | undefined;
  /** The kind as it is written in a URL. */
  readonly resource: string;
  readonly namespace: string;
  readonly dryRun: boolean;
};
export type RequestCounter = { begin(request: Request): (code: string) => void };

type Target = KindRef & {
  readonly metadata?: { readonly namespace?: string };
  readonly namespace?: string | undefined;
};
type Call = Pick<Request, 'verb' | 'command'> & {
  readonly on: Target;
  readonly options?: { readonly dryRun?: boolean } | undefined;
};

/** The same client; single reads, writes and deletes are reported. Reporting never fails a request. */
export function countedClient(kube: KubeClient, reported: RequestCounter): KubeClient {
  const count = async <T>(ctx: Ctx, call: Call, work: () => Promise<T>): Promise<T> => {
    const end = reported.begin(await requestOf(ctx, kube, call));
    try {
      const result = await work();
      end(codeOf(call, result));
      return result;
    } catch (error) {
      end(error instanceof KubeError ? String(error.status) : '0');
      throw error;
    }
  };
  const read = (on: Target): Call => ({ verb: 'Get', command: undefined, on });
  const write = (verb: string, command: string, on: Target, options: Call['options']): Call => ({
    ...{ verb, command, on, options },
  });
  return {
    ...kube,
    get: (ctx, ref) => count(ctx, read(ref), () => kube.get(ctx, ref)),
    find: (ctx, ref) => count(ctx, read(ref), () => kube.find(ctx, ref)),
    create: (ctx, object, options) =>
      count(ctx, write('Create', 'create', object, options), () => kube.create(ctx, object, options)),
    update: (ctx, object, options) =>
      count(ctx, write('Update', 'replace', object, options), () => kube.update(ctx, object, options)),
    patch: (ctx, ref, change, options) =>
      count(ctx, write('Patch', 'apply', ref, options), () => kube.patch(ctx, ref, change, options)),
    apply: (ctx, object, options) =>
      count(ctx, write('Patch', 'apply', object, options), () => kube.apply(ctx, object, options)),
    delete: (ctx, ref, options) =>
      count(ctx, write('Delete', 'delete', ref, options), () => kube.delete(ctx, ref, options)),
  };
}

function codeOf({ verb }: Call, result: unknown): string {
  if (verb === 'Create') return '201';
  return verb === 'Get' && result === undefined ? '404' : '200';
}

async function requestOf(ctx: Ctx, kube: KubeClient, { on, options, ...verb }: Call): Promise<Request> {
  const { apiVersion, kind } = on;
  const resource = await kube.resource(ctx, { apiVersion, kind }).then(
    ({ plural }) => plural,
    () => kind.toLowerCase(),
  );
  const namespace = on.metadata?.namespace ?? on.namespace ?? '';
  return { ...verb, resource, namespace, dryRun: options?.dryRun === true };
}
