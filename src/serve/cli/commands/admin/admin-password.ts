import type { Command } from 'commander';
import { decodeBase64Text } from '#base/model';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError } from '../../io.ts';
import { onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';

/** compat server §8.6: the password that was made at the first start, which the user of this command requests to see. */
export function addInitialPassword(admin: Command, deps: CliDeps): void {
  const command = reaching(admin.command('initial-password'))
    .description('print the password of the account admin that was made at the first start')
    .action(async (flags: ClusterFlags) => {
      const { namespace } = flags;
      const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-initial-admin-secret' };
      const secret = await onCluster(deps, flags, ({ ctx, kube }) => kube.find(ctx, ref));
      const { password } = (secret as { data?: Record<string, string> } | undefined)?.data ?? {};
      if (!password)
        throw new ExitError(
          20,
          `there is no Secret argocd-initial-admin-secret in namespace ${namespace}: the password was changed, or the control plane has not started yet`,
        );
      deps.io.out(`${decodeBase64Text(password)}\n`);
      deps.io.err(
        'Change it with fairlead account update-password, then delete the Secret argocd-initial-admin-secret\n',
      );
    });
  examples(
    command,
    'fairlead admin initial-password',
    'fairlead admin initial-password -n argocd --context staging',
  );
  const redis = reaching(admin.command('redis-initial-password'))
    .description('does nothing: there is no Redis')
    .action(() => deps.io.err('there is no Redis, so there is no password for it\n'));
  examples(redis, 'fairlead admin redis-initial-password');
}
