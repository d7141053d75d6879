import { decodeText } from '#base/model';
import { FairleadError } from '#base/std';
import type { AnalysisMetric } from '#engine/rollouts';
import { pickPath } from './json-path.ts';
import { judge } from './judge.ts';
import type { MetricAnswer, MetricRequest, Provider, Taken } from './provider.ts';
import { headersOf, jsonOf, send } from './send.ts';

const most = 4 * 1024 * 1024;
const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** compat rollouts RA-15. */
export const web: Provider = {
  async measure(ctx, deps, { metric }) {
    const answer = await send(ctx, deps, requestOf(metric));
    if (answer.status < 200 || answer.status > 299)
      throw new FairleadError('Unavailable', `received non 2xx response code: ${answer.status}`);
    const json = jsonOf(answer);
    return json === undefined ? judgeText(metric, answer) : judgeJson(metric, json);
  },
};

function requestOf(metric: AnalysisMetric): MetricRequest {
  const settings = metric.provider?.web ?? {};
  const { url = '', method = 'GET', headers, body, jsonBody, timeoutSeconds = 10, insecure } = settings;
  refuseUnsupported(settings);
  const sent = jsonBody === undefined ? body : JSON.stringify(jsonBody);
  return {
    url: new URL(url),
    method,
    headers: { ...(jsonBody !== undefined && { 'content-type': 'application/json' }), ...headersOf(headers) },
    ...(sent !== undefined && { body: sent }),
    terms: { insecure: insecure === true },
    most,
    ms: timeoutSeconds * 1000,
  };
}

type Settings = NonNullable<NonNullable<AnalysisMetric['provider']>['web']>;

function refuseUnsupported({
  url = '',
  method = 'GET',
  body,
  jsonBody,
  authentication = {},
}: Settings): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid(`web: ${url} is no http or https URL`);
  if (!['GET', 'POST', 'PUT'].includes(method))
    throw invalid(`web: the method ${method} is not supported: use GET, POST or PUT`);
  const [scheme] = Object.keys(authentication);
  if (scheme) throw invalid(`web: authentication by ${scheme} is not supported by this controller`);
  if (body !== undefined && jsonBody !== undefined)
    throw invalid('web: use either body or jsonBody; both cannot exist');
  if ((body ?? jsonBody) !== undefined && method === 'GET')
    throw invalid('web: body/jsonBody can only be used with POST or PUT');
}

function judgeJson(metric: AnalysisMetric, json: unknown): Taken {
  const value = pickPath(json, metric.provider?.web?.jsonPath ?? '{$}');
  return { ...judge(metric, value), value: typeof value === 'string' ? value : JSON.stringify(value) };
}

const textRemark = 'the body is no JSON: it was judged as a text; Argo Rollouts would not judge it';

/** dev compat rollouts RQ-5, RM-4: a text is judged too; `result.status` is the status of the response. */
function judgeText(metric: AnalysisMetric, { status, body }: MetricAnswer): Taken {
  const text = decodeText(body);
  const conditions = `${metric.successCondition ?? ''} ${metric.failureCondition ?? ''}`;
  const usesStatus = /\bresult\s*\??\.\s*status\b/.test(conditions);
  const result = usesStatus ? { status: String(status), body: text } : text;
  const isJudged = conditions.trim() !== '';
  return {
    ...judge(metric, result),
    value: text.slice(0, 1024),
    ...(isJudged && { metadata: { warnings: textRemark } }),
  };
}
