import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { type Ctx, FairleadError, parseJson, printJson, within } from '#base/std';
import { run } from '#platform/exec';
import type { ExecPlugin } from './cluster-access.ts';

/**
 * The credentials that a plugin returned. Without `expiresAt` they are valid until the API server rejects
 * them.
 */
export type PluginCredentials = {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly expiresAt?: number;
};

type AnswerView = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
};

/**
 * dev: kubectl waits for ever. Shorter than any request timeout: else the error would blame the cluster,
 * which received no request.
 */
const timeoutMs = 30_000;
const limits = { ms: 60_000, stdoutBytes: 1024 * 1024, stderrBytes: 256 * 1024 };

export type PluginQuestion = {
  readonly plugin: ExecPlugin;
  /** The cluster data for a plugin with provideClusterInfo. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  /** The timeout of the plugin; default: 30 s. */
  readonly timeoutMs?: number;
};

/**
 * Runs a plugin to get credentials. It inherits `environment`, as kubectl's plugins do, since cloud programs
 * find their own credentials there. Its output is never quoted: it may be a secret.
 */
export async function runPlugin(ctx: Ctx, question: PluginQuestion): Promise<PluginCredentials> {
  const { plugin, environment } = question;
  const name = basename(plugin.command);
  const cluster = plugin.clusterInfo && { ...question.cluster, config: plugin.clusterInfo.config };
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, cluster },
  };
  const env = { ...environment, ...plugin.env, KUBERNETES_EXEC_INFO: printJson(info) };
  const waitMs = question.timeoutMs ?? timeoutMs;
  const patient = within(ctx, waitMs);
  try {
    const { code, stdout } = await run(patient, {
      program: plugin.command,
      args: plugin.args,
      cwd: tmpdir(),
      env,
      limits,
    });
    if (code !== 0) {
      throw new FairleadError(
        'Auth',
        `credential plugin ${name} failed with exit code ${code}: run it by hand to see why`,
      );
    }
    return credentialsIn(new TextDecoder().decode(stdout), plugin.apiVersion, name);
  } catch (error) {
    if (patient.signal.aborted && !ctx.signal.aborted) {
      const reported = `credential plugin ${name} did not answer within ${waitMs / 1000} s: run it by hand to see why`;
      throw new FairleadError('Auth', reported);
    }
    throw missing(error, plugin, name);
  }
}

/** The helpers that kubeconfigs and cluster Secrets of cloud providers name. */
const installHints: Readonly<Record<string, string>> = {
  aws: 'install the AWS command line (version 2)',
  'aws-iam-authenticator':
    'install aws-iam-authenticator, or use `aws eks get-token` of the AWS command line',
  'argocd-k8s-auth':
    "install argocd-k8s-auth: it is Argo CD's own binary under that name (link argocd to argocd-k8s-auth)",
  'gke-gcloud-auth-plugin':
    'install the Google Cloud command line and its plugin (gcloud components install gke-gcloud-auth-plugin)',
  kubelogin: 'install Azure kubelogin (az aks install-cli)',
  doctl: 'install doctl',
};

/** The error for a program that is not installed; any other error unchanged. */
function missing(error: unknown, { installHint }: ExecPlugin, name: string): unknown {
  if (!(error instanceof FairleadError) || error.code !== 'NotFound') return error;
  const known = installHints[name.replace(/\.exe$/, '')];
  const ours = known && `${known}, and put it on the PATH of fairlead`;
  const text = installHint?.trim() || ours;
  const hint = text ? `\n${text}` : '';
  return new FairleadError('Auth', `credential plugin ${name} is not installed${hint}`);
}

function credentialsIn(text: string, apiVersion: string, name: string): PluginCredentials {
  const answer = answerIn(text, name);
  if (answer.kind !== 'ExecCredential' || answer.apiVersion !== apiVersion) {
    throw new FairleadError(
      'Auth',
      `credential plugin ${name} did not answer with an ExecCredential of ${apiVersion}`,
    );
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {};
  if (!token && !(clientCertificateData && clientKeyData)) {
    throw new FairleadError(
      'Auth',
      `credential plugin ${name} gave neither a token nor a certificate with its key`,
    );
  }
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    ...(token && { token }),
    ...(clientCertificateData && clientKeyData && { certificate: clientCertificateData, key: clientKeyData }),
    ...(Number.isFinite(expiresAt) && { expiresAt }),
  };
}

function answerIn(text: string, name: string): AnswerView {
  try {
    return (parseJson(text) ?? {}) as AnswerView;
  } catch {
    throw new FairleadError('Auth', `credential plugin ${name} did not print JSON`); // no cause: it quotes the text
  }
}
