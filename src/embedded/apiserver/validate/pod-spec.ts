import { dnsLabelProblems, dnsSubdomainProblems, labelKeyProblems } from '#base/model';
import type { FieldCheck } from './check.ts';
import { checkContainers, checkInitContainers, checkPodSecurity } from './container.ts';
import { checkAffinity, checkSpread, checkToleration } from './scheduling.ts';
import { checkLabels } from './selector.ts';
import { addressRule, isAddress } from './text.ts';
import { checkVolumes } from './volume.ts';

/** The common errors in pods and pod templates (contract cluster 3.13), in the order of Kubernetes. */
export function checkPodSpec(spec: FieldCheck): void {
  const volumes = checkVolumes(spec.field('volumes'));
  const setting = {
    volumes,
    names: new Set<string>(),
    hostNetwork: spec.field('hostNetwork').value === true,
  };
  spec.field('containers').required();
  checkContainers(spec.field('containers'), setting);
  checkInitContainers(spec.field('initContainers'), setting);
  spec.field('restartPolicy').oneOf(['Always', 'OnFailure', 'Never']);
  checkNames(spec);
  checkPlace(spec);
}

function checkNames(spec: FieldCheck): void {
  spec.field('dnsPolicy').oneOf(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  checkLabels(spec.field('nodeSelector'));
  checkPodSecurity(spec.field('securityContext'));
  checkAffinity(spec.field('affinity'));
  for (const gate of spec.field('readinessGates').items()) {
    gate.field('conditionType').problems(labelKeyProblems(gate.field('conditionType').text));
  }
  for (const constraint of spec.field('topologySpreadConstraints').items()) checkSpread(constraint);
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName']) subdomain(spec.field(name));
  spec.field('activeDeadlineSeconds').between(1, 2147483647);
  for (const name of ['hostname', 'subdomain']) {
    const part = spec.field(name);
    if (part.isSet) part.problems(dnsLabelProblems(part.text));
  }
}

function subdomain(name: FieldCheck): void {
  if (name.isSet) name.problems(dnsSubdomainProblems(name.text));
}

function checkPlace(spec: FieldCheck): void {
  for (const toleration of spec.field('tolerations').items()) checkToleration(toleration);
  for (const alias of spec.field('hostAliases').items()) {
    if (!isAddress(alias.field('ip').text)) alias.field('ip').invalid(addressRule, alias.field('ip').text);
    for (const host of alias.field('hostnames').items()) subdomain(host);
  }
}
