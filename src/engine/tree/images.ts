import type { KubeObject } from '#base/model';

type Containers = { containers?: { image?: unknown }[] };
type Template = { template?: { spec?: Containers } };
type PodLike = KubeObject<Containers & Template & { jobTemplate?: { spec?: Template } }>;

/** compat engine S-27: images of the main containers, wherever the kind keeps its pod; not of init containers. */
export function imagesOf(object: KubeObject): string[] {
  const spec = (object as PodLike).spec;
  if (typeof spec !== 'object' || spec === null) return [];
  const podSpecs = [spec, spec.template?.spec, spec.jobTemplate?.spec?.template?.spec];
  const containers = podSpecs.flatMap((pod) => (Array.isArray(pod?.containers) ? pod.containers : []));
  const images = containers.map((container) => container?.image);
  return [...new Set(images.filter((image): image is string => typeof image === 'string' && image !== ''))];
}
