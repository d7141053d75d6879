import { dns1035LabelProblems, labelKeyProblems } from '#base/model';
import type { TrafficTarget } from '../view.ts';
import {
  both,
  disallowed,
  each,
  explained,
  invalid,
  type KnativeProblem,
  neither,
  outOfBounds,
  said,
} from './problem.ts';

/** Validates the targets of a Service, which are its own revisions, or of a Route. */
export function ofTraffic(traffic: readonly TrafficTarget[], isService: boolean): KnativeProblem[] {
  const sum = traffic.reduce((total, { percent = 0 }) => total + percent, 0);
  return [
    ...each(traffic, (target) => ofTarget(target, isService)),
    ...ofTags(traffic),
    ...(sum === 100 ? [] : [said(`Traffic targets sum to ${sum}, want 100`, '')]),
  ];
}

function ofTags(traffic: readonly TrafficTarget[]): KnativeProblem[] {
  const first = new Map<string, number>();
  return traffic.flatMap(({ tag }, index) => {
    if (!tag) return [];
    const why = dns1035LabelProblems(tag);
    // compat cluster 5.6: the index is reported behind the tag
    const wrong =
      why.length > 0 ? [invalid(`not a DNS 1035 label: [${why.join(' ')}]`, `tag[${index}]`)] : [];
    const known = first.get(tag);
    if (known === undefined) {
      first.set(tag, index);
      return wrong;
    }
    return [...wrong, said(`Multiple definitions for "${tag}"`, `[${index}].tag`, `[${known}].tag`)];
  });
}

function ofTarget(target: TrafficTarget, isService: boolean): KnativeProblem[] {
  const { percent = 0, revisionName = '', latestRevision, url, tag } = target;
  const isContradiction = latestRevision !== undefined && latestRevision === (revisionName !== '');
  const message = `may not set revisionName "${revisionName}" when latestRevision is ${latestRevision}`;
  return [
    ...(isContradiction ? [said(message, 'latestRevision')] : []),
    ...ofNames(target, isService),
    ...(percent < 0 || percent > 100 ? [outOfBounds(percent, 0, 100, 'percent')] : []),
    ...(url ? [disallowed('url'), ...(tag ? [] : [disallowed('url')])] : []),
  ];
}

function ofNames({ revisionName, configurationName }: TrafficTarget, isService: boolean): KnativeProblem[] {
  if (isService && configurationName) return [disallowed('configurationName')];
  if (revisionName && configurationName) return [both('revisionName', 'configurationName')];
  if (revisionName) return ofName(revisionName, 'revisionName');
  if (configurationName) return ofName(configurationName, 'configurationName');
  return isService ? [] : [neither('revisionName', 'configurationName')];
}

function ofName(name: string, path: string): KnativeProblem[] {
  const why = labelKeyProblems(name);
  return why.length > 0 ? [explained(said(`invalid key name "${name}"`, path), why.join(', '))] : [];
}
