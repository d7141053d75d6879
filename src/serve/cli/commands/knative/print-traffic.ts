import type { TrafficService } from '#serve/api';
import { facts, table } from '../../output/table.ts';

/** The traffic of one Service, for people. */
export function printService(service: TrafficService): string {
  const { name, namespace, url, ownerText, ready, message, rollout, revisions } = service;
  const head = facts([
    ['Service', `${namespace}/${name}`],
    ['URL', url],
    ['Ready', ready ? 'True' : `not yet${message ? `: ${message}` : ''}`],
    ['Rollout', rollout?.text],
    ['Owner of the split', ownerText],
  ]);
  const rows = revisions.map((one) => [
    one.name,
    `${one.percent}%`,
    `${one.declaredPercent}%`,
    one.ready,
    one.tags.map(({ tag, url: at }) => (at ? `${tag} ${at}` : tag)).join(', '),
    one.image ?? '',
  ]);
  return `${head}\n${table(['REVISION', 'TRAFFIC', 'DECLARED', 'READY', 'TAGS', 'IMAGE'], rows)}`;
}
