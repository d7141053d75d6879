import { isObject } from '#base/std';

type Json = Readonly<Record<string, unknown>>;

/** Where gRPC has another way to say something than its REST call, the way of the REST call. */
export function adjusted(method: string, request: Json): Json {
  const [service] = method.split('/');
  return service === 'cluster.ClusterService' && !method.endsWith('/List') ? withId(request) : request;
}

type Status = { readonly code: number; readonly message: string };

/**
 * The status of a refusal as the clients of gRPC expect it. compat server §4.3: too many logins at a time look like a wrong password,
 * because clients retry the other status. A set that is hidden or absent is one that is not found: `argocd appset create` reads
 * it first, and takes any other status for the end.
 */
export function adjustedStatus(path: string, { code, message }: Status): Status {
  if (path === '/session.SessionService/Create' && code === exhausted)
    return { code: unauthenticated, message };
  const isHidden = code === permissionDenied && message === 'permission denied';
  if (path === '/applicationset.ApplicationSetService/Get' && isHidden)
    return { code: notFound, message: 'applicationsets.argoproj.io not found' };
  return { code, message };
}

const [notFound, permissionDenied, exhausted, unauthenticated] = [5, 7, 8, 16];

/** The command line names a cluster with its server or its name, REST with an id. */
function withId(request: Json): Json {
  if (isObject(request.id) && request.id.value) return request;
  const { server, name, cluster } = request;
  const value = server ?? (isObject(cluster) ? cluster.server : undefined);
  if (value) return { ...request, id: { type: 'server', value } };
  return name ? { ...request, id: { type: 'name', value: name } } : request;
}
