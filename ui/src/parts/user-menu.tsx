import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { signOut, useUser } from '../data/use-session.ts';
import { Icon } from '../kit/icon.tsx';
import { addressOf, navigate } from '../kit/location.ts';
import { Menu } from '../kit/menu.tsx';

export function UserMenu() {
  const send = useSend();
  const { data: user } = useUser();
  const name = user?.username ?? '…';
  const isLocal = user?.iss === undefined || user.iss === 'argocd';
  // the identity provider may want to know as well: the server sends the browser there
  const leave = useAction(
    async () => (isLocal ? signOut(send) : location.assign(addressOf('/auth/logout'))),
    () => isLocal && navigate('/login'),
  );
  return (
    <Menu
      label={`Signed in as ${name}`}
      variant="quiet"
      items={[
        {
          label: 'You',
          note: 'account, groups, password',
          icon: 'person',
          onChoose: () => navigate('/user-info'),
        },
        { label: 'Help', note: 'keys, chat, downloads', icon: 'help', onChoose: () => navigate('/help') },
        { label: 'Sign out', note: `You are ${name}`, icon: 'leave', onChoose: leave.run },
      ]}
    >
      <Icon name="person" />
      <span className="username">{name}</span>
    </Menu>
  );
}
