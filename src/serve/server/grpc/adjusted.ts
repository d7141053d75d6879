import { isObject } from '#base/std';

type Json = Readonly<Record<string, unknown>>;

/** Where gRPC has another way to say something than its REST call, the way of the REST call. */
export function adjusted(method: string, request: Json): Json {
  const [service] = method.split('/');
  return service === 'cluster.ClusterService' && !method.endsWith('/List') ? withId(request) : request;
}

/** The command line names a cluster with its server or its name, REST with an id. */
function withId(request: Json): Json {
  if (isObject(request.id) && request.id.value) return request;
  const { server, name, cluster } = request;
  const value = server ?? (isObject(cluster) ? cluster.server : undefined);
  if (value) return { ...request, id: { type: 'server', value } };
  return name ? { ...request, id: { type: 'name', value: name } } : request;
}
