import { join } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** A cluster of the user's: the one a kubeconfig names, or the one this pod runs in. */
export type ClusterChoice = {
  /** The environment of credential plugins, which are programs of the user's. */
  readonly environment: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'kubeconfig'; readonly files: readonly string[]; readonly context?: string }
  | { readonly kind: 'pod'; readonly dir: string; readonly host: string; readonly port: string }
);

type Named = { readonly kubeconfig: string | undefined; readonly context: string | undefined };

/** Where Kubernetes puts the service account of a pod. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Either flag means a cluster of the user's; the files are found as kubectl finds them. */
export function namedCluster(named: Named, env: Env, home: string): ClusterChoice | undefined {
  return named.kubeconfig === undefined && named.context === undefined
    ? undefined
    : kubeconfigCluster(named, env, home);
}

/** For a process that has no cluster of its own: what the flags name, else the pod's, else what kubectl would use. */
export function requiredCluster(named: Named, env: Env, home: string): ClusterChoice {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const isNamed = named.kubeconfig !== undefined || named.context !== undefined;
  if (isNamed || !host || !port) return kubeconfigCluster(named, env, home);
  return { kind: 'pod', dir: serviceAccount, host, port, environment: given(env) };
}

function kubeconfigCluster({ kubeconfig, context }: Named, env: Env, home: string): ClusterChoice {
  const known = (env.KUBECONFIG || join(home, '.kube/config')).split(':').filter(Boolean);
  const files = kubeconfig ? [kubeconfig] : known;
  return { kind: 'kubeconfig', files, environment: given(env), ...(context && { context }) };
}

function given(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
