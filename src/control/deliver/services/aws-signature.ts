import { createHash, createHmac } from 'node:crypto';

type AwsKeys = { readonly region: string; readonly key: string; readonly secret: string };
type Signed = { readonly headers: Readonly<Record<string, string>>; readonly payload: string };

/** The header `authorization` of a POST request to Amazon SQS: signature version 4 of these headers. */
export function awsSignature(
  { region, key, secret }: AwsKeys,
  url: URL,
  { headers, payload }: Signed,
): string {
  const names = Object.keys(headers).sort();
  const canonical = [
    'POST',
    url.pathname,
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    hash(payload),
  ].join('\n');
  const at = headers['x-amz-date'] ?? '';
  const scope = `${at.slice(0, 8)}/${region}/sqs/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', at, scope, hash(canonical)].join('\n');
  const signing = scope.split('/').reduce<string | Buffer>((by, part) => hmac(by, part), `AWS4${secret}`);
  const signature = hmac(signing, text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
