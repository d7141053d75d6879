import { type Ctx, FairleadError, parseJson } from '#base/std';
import type { KubeClient } from '#kubernetes/client';

/** Requests the cluster's version before anything is started on it. Throws why nothing can be started, and what to do. */
export async function preflight(ctx: Ctx, kube: Pick<KubeClient, 'raw'>, server: string): Promise<void> {
  try {
    const { text } = await kube.raw(ctx, { method: 'GET', path: '/version' });
    const { gitVersion } = parseJson(text) as { gitVersion?: unknown };
    if (typeof gitVersion === 'string') return;
  } catch (error) {
    throw explained(error, server);
  }
  throw new FairleadError('InvalidSpec', `${server} answers, but is no Kubernetes API server`);
}

/** Explains an error at the start to the user who started us. */
export function explained(error: unknown, server: string): FairleadError {
  const { code, message } = FairleadError.from(error);
  switch (code) {
    case 'Auth':
      return new FairleadError(
        code,
        `the cluster at ${server} does not accept who we are: ${message}; check the user of the context (kubectl auth whoami)`,
        error,
      );
    case 'PermissionDenied':
      return new FairleadError(
        code,
        `the cluster at ${server} does not permit what we need: ${message}; deploy/ lists the rights of each role`,
        error,
      );
    default:
      return FairleadError.from(error);
  }
}
