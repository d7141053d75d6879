import { createHash, createHmac } from 'node:crypto';

export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

type AwsRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

type Signing = {
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
};

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyed = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers of a request to AWS with its signature, version 4. The query must be in the order of the alphabet. */
export function signed(
  { method, url, headers, body }: AwsRequest,
  { keys, region, service, now }: Signing,
): Record<string, string> {
  const time = `${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const day = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(keys.sessionToken && { 'x-amz-security-token': keys.sessionToken }),
  };
  const all = Object.entries({ ...sent, host: url.host }).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = all.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...all.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    hashed(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    keyed,
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = keyed(key, ['AWS4-HMAC-SHA256', time, scope, hashed(canonical)].join('\n')).toString(
    'hex',
  );
  const credential = `Credential=${keys.accessKeyId}/${scope}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
