import { type Ctx, FairleadError, isObject, type JsonObject } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { bearer, below, filled, flag, given, json, map, partOf, structure, text } from '../fields.ts';
import type { Delivery, ServiceKind, ServiceReach } from '../service.ts';
import { type RevisionSubject, revisionSubject } from './repository.ts';

type Call = (method: string, path: string, body?: JsonObject) => Promise<unknown>;
type GithubBlock = (
  call: Call,
  block: JsonObject,
  subject: RevisionSubject,
  message: string,
) => Promise<void>;

/** compat server §6.6: as a GitHub App: statuses, deployments, comments, check runs and dispatches of a commit. */
export const github: ServiceKind = {
  required: ['appID', 'privateKey'],
  optional: ['installationID', 'enterpriseBaseURL'],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const wanted = Object.entries(blocks).filter(([name]) => isObject(part[name]));
    if (wanted.length === 0)
      throw new FairleadError(
        'InvalidSpec',
        `the template has no github block: write one of ${Object.keys(blocks).join(', ')}`,
      );
    const subject = revisionSubject(part);
    const call = await callAs(ctx, reach, delivery, subject);
    for (const [name, send] of wanted)
      await send(call, map(part, name), subject, delivery.notification.message);
  },
};

async function callAs(
  ctx: Ctx,
  reach: ServiceReach,
  { options }: Delivery,
  { owner, path }: RevisionSubject,
): Promise<Call> {
  const base = filled(options, 'enterpriseBaseURL');
  const api = (base ? below(base, 'api/v3') : 'https://api.github.com').replace(/\/+$/, '');
  const installation = Number(text(options, 'installationID'));
  const token = await reach.githubToken(ctx, {
    id: Number(text(options, 'appID')),
    key: text(options, 'privateKey'),
    installation: installation > 0 ? installation : undefined,
    ...{ api, owner },
  });
  const headers = {
    ...json,
    ...bearer(token),
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  };
  return async (method, rest, body) => {
    const url = `${api}/repos/${path}/${rest}`;
    const answer = await reach.request(ctx, {
      url,
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    // compat server §6.5: a commit has room for a thousand statuses; there is no use in trying again
    if (answer.status === 422 && answer.text.includes('maximum number of statuses')) return {};
    requireAccepted(answer);
    return answer.text === '' ? {} : (JSON.parse(answer.text) as unknown);
  };
}

const short = (message: string): string => {
  const line = message.trim();
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
};

const status: GithubBlock = async (call, block, { revision }, message) => {
  await call(
    'POST',
    `statuses/${revision}`,
    given({
      state: filled(block, 'state'),
      target_url: filled(block, 'targetURL'),
      description: short(message),
      context: filled(block, 'label'),
    }),
  );
};

const deployment: GithubBlock = async (call, block, { revision }, message) => {
  const environment = filled(block, 'environment');
  const contexts = structure(block, 'requiredContexts');
  const made = await call(
    'POST',
    'deployments',
    given({
      ref: filled(block, 'reference') ?? revision,
      environment,
      description: short(message),
      auto_merge: block.autoMerge === undefined ? undefined : flag(block, 'autoMerge'),
      required_contexts: Array.isArray(contexts) ? contexts : [],
      transient_environment: flag(block, 'transientEnvironment') || undefined,
      production_environment: flag(block, 'productionEnvironment') || undefined,
    }),
  );
  const id = isObject(made) ? text(made, 'id') : '';
  if (id === '')
    throw new FairleadError('InvalidSpec', 'GitHub made no deployment: it merged the branch instead');
  await call(
    'POST',
    `deployments/${id}/statuses`,
    given({
      state: filled(block, 'state') ?? 'success',
      log_url: filled(block, 'logURL'),
      environment_url: filled(block, 'environmentURL'),
      environment,
      description: short(message),
      auto_inactive: block.autoInactive === undefined ? undefined : flag(block, 'autoInactive'),
    }),
  );
};

/** A comment with a tag replaces the one with the same tag. */
const pullRequestComment: GithubBlock = async (call, block, { revision }) => {
  const tag = filled(block, 'commentTag');
  const mark = tag === undefined ? '' : `<!-- argocd-notifications ${tag.replaceAll('--', '')} -->`;
  const content = filled(block, 'content');
  if (!content) throw new FairleadError('InvalidSpec', 'github.pullRequestComment has no content');
  const body = { body: mark === '' ? content : `${content}\n\n${mark}` };
  const pulls = listIn(await call('GET', `commits/${revision}/pulls`));
  for (const pull of pulls) {
    const number = text(pull, 'number');
    const comments = mark === '' ? [] : listIn(await call('GET', `issues/${number}/comments?per_page=100`));
    const mine = comments.find((comment) => text(comment, 'body').includes(mark));
    if (mine) await call('PATCH', `issues/comments/${text(mine, 'id')}`, body);
    else await call('POST', `issues/${number}/comments`, body);
  }
};

const listIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const checkRun: GithubBlock = async (call, block, { revision }, message) => {
  const output = map(block, 'output');
  await call(
    'POST',
    'check-runs',
    given({
      name: filled(block, 'name'),
      head_sha: revision,
      details_url: filled(block, 'detailsURL') ?? filled(block, 'details_url'),
      status: filled(block, 'status'),
      conclusion: filled(block, 'conclusion'),
      started_at: filled(block, 'startedAt') ?? filled(block, 'started_at'),
      completed_at: filled(block, 'completedAt') ?? filled(block, 'completed_at'),
      output:
        Object.keys(output).length === 0
          ? undefined
          : given({
              title: filled(output, 'title'),
              summary: filled(output, 'summary') ?? message,
              text: filled(output, 'text'),
            }),
    }),
  );
};

const repositoryDispatch: GithubBlock = async (call, block) => {
  const payload = structure(block, 'clientPayload') ?? structure(block, 'client_payload');
  await call(
    'POST',
    'dispatches',
    given({
      event_type: filled(block, 'eventType') ?? filled(block, 'event_type'),
      client_payload: payload,
    }),
  );
};

const blocks: Readonly<Record<string, GithubBlock>> = {
  status,
  deployment,
  pullRequestComment,
  checkRun,
  repositoryDispatch,
};
