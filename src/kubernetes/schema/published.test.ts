import { expect, test } from 'vitest';
import { builtinResources, findNamedType } from './index.ts';
import { publishedFacts } from './published.ts';

test('allowed values, defaults and unions are known by the name of the struct', () => {
  const container = publishedFacts('io.k8s.api.core.v1.Container');
  expect(container?.values.get('imagePullPolicy')).toEqual(['Always', 'IfNotPresent', 'Never']);
  expect(publishedFacts('io.k8s.api.core.v1.ContainerPort')?.defaults.get('protocol')).toBe('TCP');
  expect(publishedFacts('io.k8s.api.core.v1.ReplicationControllerSpec')?.defaults.get('replicas')).toBe(1);
  expect(publishedFacts('io.k8s.api.core.v1.SeccompProfile')?.union).toEqual({
    discriminator: 'type',
    fields: { localhostProfile: 'LocalhostProfile' },
  });
});

test('a union may have no discriminator, a value may be empty or hold spaces', () => {
  expect(publishedFacts('io.k8s.api.core.v1.PodSchedulingGroup')?.union).toEqual({
    fields: { podGroupName: 'PodGroupName' },
  });
  expect(publishedFacts('io.k8s.api.core.v1.HostPathVolumeSource')?.values.get('type')?.[0]).toBe('');
  const usages = publishedFacts('io.k8s.api.certificates.v1.CertificateSigningRequestSpec')?.values.get(
    'usages',
  );
  expect(usages).toContain('digital signature');
});

test('nothing is said of a struct without such facts, and of none that the tables do not hold', () => {
  expect(publishedFacts('io.k8s.api.core.v1.ConfigMap')).toBeUndefined();
  expect(findNamedType('meta/v1/APIResourceList')?.fields.has('resources')).toBe(true);
  expect(builtinResources.filter(({ type }) => type.fields.size === 0)).toEqual([]);
});
