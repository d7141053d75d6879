import { FairleadError } from '#base/std';
import { findNamedType, type JsonObject } from '#kubernetes/schema';
import { printAsGo } from './go-json.ts';
import type { CanaryStep, RolloutTemplate } from './rollout.ts';
import { stepsType } from './step-type.ts';
import { withPeerDefaults } from './template-defaults.ts';

/** compat rollouts RH-1: the hash of a pod template, as it stands in names and labels. */
export function templateHash(template: RolloutTemplate, collisionCount?: number): string {
  const type = findNamedType('core/v1/PodTemplateSpec');
  if (!type) throw new FairleadError('Internal', 'the schema has no PodTemplateSpec');
  return safe(fnv1a(printAsGo(withPeerDefaults(template) as JsonObject, type), counted(collisionCount)));
}

/** compat rollouts RN-8: the hash of the steps; a Rollout without steps has one too. */
export function stepHash(steps: readonly CanaryStep[] | undefined): string {
  const list = steps?.map((step) => printAsGo(step as JsonObject, stepsType)).join(',');
  return safe(fnv1a(list === undefined ? 'null' : `[${list}]`, []));
}

/** Eight bytes, of which the count fills the first four, least significant byte first. */
function counted(count: number | undefined): number[] {
  if (count === undefined) return [];
  return [0, 8, 16, 24].map((shift) => (count >>> shift) & 255).concat([0, 0, 0, 0]);
}

function fnv1a(value: string, tail: readonly number[]): number {
  let sum = 0x811c9dc5;
  const add = (byte: number): void => {
    sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  };
  for (const byte of new TextEncoder().encode(value)) add(byte);
  tail.forEach(add);
  return sum;
}

/** The decimal digits in letters that make no words, as Kubernetes encodes sums for names. */
const safe = (sum: number): string => [...String(sum)].map((digit) => '456789bcdf'[Number(digit)]).join('');
