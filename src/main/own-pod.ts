import type { KubeObject } from '#base/model';

/**
 * The Pod that stands for this process in the embedded cluster. `argocd --core` runs an API server of its own, which starts only
 * where a Pod of this name label is ready; nothing listens behind it.
 */
export const ownPod = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'fairlead',
    namespace,
    labels: { 'app.kubernetes.io/name': 'argocd-repo-server', 'app.kubernetes.io/part-of': 'argocd' },
    annotations: {
      'kubernetes.io/description':
        'stands for the fairlead process, so that argocd --core starts; nothing listens here',
    },
  },
  spec: { containers: [{ name: 'fairlead', image: 'fairlead' }] },
});
