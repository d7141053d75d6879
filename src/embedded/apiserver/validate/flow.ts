import { dnsLabelProblems, dnsSubdomainProblems } from '#base/model';
import type { FieldCheck } from './check.ts';

const lastPrecedence = 10_000;
const mostQueues = 10_000_000;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const number = (check: FieldCheck): number => Number(check.value ?? 0);
const texts = (list: FieldCheck): string[] => list.items().map(({ text }) => text);

/** compat cluster 3.13: the assignment of requests to priority levels. */
export function checkFlowSchema(object: FieldCheck): void {
  const spec = object.field('spec');
  checkPrecedence(spec.field('matchingPrecedence'), object.field('metadata').field('name').text);
  const method = spec.field('distinguisherMethod');
  if (method.isSet && !['ByNamespace', 'ByUser'].includes(method.field('type').text)) {
    method.field('type').unsupported(['ByNamespace', 'ByUser'], { Type: method.field('type').text });
  }
  const level = spec.field('priorityLevelConfiguration').field('name');
  if (level.isSet) level.problems(dnsSubdomainProblems(level.text));
  else level.lacking('must reference a priority level');
  for (const rule of spec.field('rules').items()) checkRules(rule);
}

function checkPrecedence(precedence: FieldCheck, name: string): void {
  const value = number(precedence);
  if (value <= 0) precedence.invalid('must be a positive value', value);
  if (value > lastPrecedence) precedence.invalid(`must not be greater than ${lastPrecedence}`);
  if (value === 1 && name !== 'exempt') {
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

function checkRules(rule: FieldCheck): void {
  const subjects = rule.field('subjects');
  if (subjects.items().length === 0) subjects.lacking('subjects must contain at least one value');
  for (const subject of subjects.items()) checkSubject(subject);
  const [resources, others] = [rule.field('resourceRules').items(), rule.field('nonResourceRules').items()];
  if (resources.length + others.length === 0) {
    rule.lacking('at least one of resourceRules and nonResourceRules has to be non-empty');
  }
  for (const one of resources) checkResourceRule(one);
  for (const one of others) checkOtherRule(one);
}

const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function checkSubject(subject: FieldCheck): void {
  const kind = subject.field('kind');
  const wanted = Object.entries(subjectFields).find(([name]) => name === kind.text);
  if (!wanted) {
    kind.unsupported(['Group', 'ServiceAccount', 'User'], kind.text);
    return;
  }
  const [name, field] = wanted;
  const own = subject.field(field);
  if (!own.isSet) own.lacking(`${field} is required when subject kind is '${name}'`);
  else if (name === 'ServiceAccount') checkAccount(own);
  else if (!own.field('name').isSet) own.field('name').lacking();
  for (const [other, place] of Object.entries(subjectFields)) {
    if (other !== name && subject.field(place).isSet) {
      subject.field(place).forbidden(`${place} is forbidden when subject kind is not '${other}'`);
    }
  }
}

function checkAccount(account: FieldCheck): void {
  const [name, namespace] = [account.field('name'), account.field('namespace')];
  if (!name.isSet) name.lacking();
  else if (name.value !== '*') name.problems(dnsSubdomainProblems(name.text));
  if (namespace.isSet) namespace.problems(dnsLabelProblems(namespace.text));
  else namespace.lacking('must specify namespace for service account');
}

/** A star must be the only entry. */
function checkStar(list: FieldCheck, what: string): void {
  if (list.items().length > 1 && texts(list).includes('*')) {
    list.invalid(`if '*' is present, must not specify other ${what}`);
  }
}

function checkVerbs(list: FieldCheck): void {
  if (list.items().length === 0) list.lacking('verbs must contain at least one value');
  checkStar(list, 'verbs');
  const given = texts(list);
  if (!given.includes('*') && given.some((verb) => !verbs.includes(verb))) list.unsupported(verbs);
}

function checkResourceRule(rule: FieldCheck): void {
  checkVerbs(rule.field('verbs'));
  const [groups, resources] = [rule.field('apiGroups'), rule.field('resources')];
  if (groups.items().length === 0) groups.lacking('resource rules must supply at least one api group');
  checkStar(groups, 'api groups');
  if (resources.items().length === 0) resources.lacking('resource rules must supply at least one resource');
  checkStar(resources, 'resources');
  checkNamespaces(rule.field('namespaces'), rule.field('clusterScope').value === true);
}

function checkNamespaces(namespaces: FieldCheck, isForCluster: boolean): void {
  if (namespaces.items().length === 0 && !isForCluster) {
    namespaces.lacking('resource rules that are not cluster scoped must supply at least one namespace');
  }
  checkStar(namespaces, 'namespaces');
  if (texts(namespaces).includes('*')) return;
  for (const one of namespaces.items()) {
    for (const problem of dnsLabelProblems(one.text)) {
      one.invalid(`each member of this list must be '*' or a DNS-1123 label; ${problem}`);
    }
  }
}

function checkOtherRule(rule: FieldCheck): void {
  checkVerbs(rule.field('verbs'));
  const urls = rule.field('nonResourceURLs');
  if (urls.items().length === 0) urls.lacking('nonResourceURLs must contain at least one value');
  checkStar(urls, 'non-resource URLs');
  if (texts(urls).includes('*')) return;
  for (const url of urls.items()) {
    const problem = urlProblem(url.text);
    if (problem) url.invalid(problem, url.text);
  }
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*'))
    ? 'wildcard can only do suffix matching'
    : undefined;
}

/** compat cluster 3.13: the concurrency limit of a priority level. */
export function checkPriorityLevel(object: FieldCheck): void {
  const spec = object.field('spec');
  const type = spec.field('type');
  const isExempt = object.field('metadata').field('name').value === 'exempt';
  if (isExempt !== (type.value === 'Exempt')) {
    type.invalid("must be 'Exempt' if and only if `name` is 'exempt'", type.text);
  }
  const [limited, exempt] = [spec.field('limited'), spec.field('exempt')];
  if (type.value === 'Exempt') {
    if (limited.isSet) limited.forbidden('must be nil if the type is not Limited');
  } else if (type.value === 'Limited') {
    if (exempt.isSet) exempt.forbidden('must be nil if the type is Limited');
    if (limited.isSet) checkLimited(limited);
    else limited.lacking('must not be empty when type is Limited');
  } else if (type.isSet) type.unsupported(['Exempt', 'Limited']);
  else type.lacking();
}

function checkLimited(limited: FieldCheck): void {
  const shares = limited.field('nominalConcurrencyShares');
  if (number(shares) < 0) shares.invalid('must be a non-negative integer');
  checkResponse(limited.field('limitResponse'));
  limited.field('lendablePercent').between(0, 100);
  const borrowed = limited.field('borrowingLimitPercent');
  if (number(borrowed) < 0) borrowed.invalid('if specified, must be a non-negative integer');
}

function checkResponse(response: FieldCheck): void {
  const [type, queuing] = [response.field('type'), response.field('queuing')];
  if (type.value === 'Reject') {
    if (queuing.isSet) queuing.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (type.value === 'Queue') {
    if (queuing.isSet) checkQueuing(queuing);
    else queuing.lacking('must not be empty if limited.limitResponse.type is Limited');
  } else if (type.isSet) type.unsupported(['Queue', 'Reject']);
  else type.lacking();
}

function checkQueuing(queuing: FieldCheck): void {
  const length = queuing.field('queueLengthLimit');
  if (number(length) <= 0) length.invalid('must be positive');
  const queues = queuing.field('queues');
  if (number(queues) <= 0) queues.invalid('must be positive');
  else if (number(queues) > mostQueues) queues.invalid(`must not be greater than ${mostQueues}`);
  const hand = queuing.field('handSize');
  if (number(hand) <= 0) hand.invalid('must be positive');
  else if (number(hand) > number(queues)) {
    hand.invalid(`should not be greater than queues (${number(queues)})`);
  }
}
