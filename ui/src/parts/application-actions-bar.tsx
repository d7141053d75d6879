import type { Application } from '#base/model';
import { refreshApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Menu } from '../kit/menu.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { whyNoSync } from '../shape/failing-sync.ts';
import { applicationObject } from '../shape/rights.ts';
import { ApplicationMenu } from './application-menu.tsx';

/** Sync and Refresh, with their keys. Sync never acts at once: it shows first. */
export function ActionsBar({ app, place }: { app: Application; place: AppRef }) {
  const address = useAddress();
  const { refresh, isRefreshing, error } = useRefresh(place);
  const openSync = () => navigate(withQuery({ deploy: 'all' }, address));
  const forbidden = useWhyNot({ resource: 'applications', action: 'sync', object: applicationObject(app) });
  const busy = whyNoSync(app) ?? forbidden;
  useHotkeys({ s: () => !busy && openSync(), r: () => refresh('normal') });
  return (
    <div className="actions says-why">
      <div className="button-pair">
        <Button
          icon="refresh"
          className={isRefreshing ? 'turning-icon' : ''}
          hint="Compare with Git now  r"
          onClick={() => refresh('normal')}
        >
          Refresh
        </Button>
        <Menu
          label="More ways to refresh"
          items={[
            { label: 'Refresh', note: 'Compare with Git now', onChoose: () => refresh('normal') },
            {
              label: 'Hard refresh',
              note: 'Forget the rendered manifests, too',
              onChoose: () => refresh('hard'),
            },
          ]}
        >
          <Icon name="down" />
        </Menu>
      </div>
      <Button variant="act" why={busy} hint="See what will change  s" onClick={openSync}>
        Sync…
      </Button>
      <ApplicationMenu app={app} place={place} />
      {error && (
        <p className="complaint" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function useRefresh(place: AppRef) {
  const send = useSend();
  const {
    run,
    isRunning: isRefreshing,
    error,
  } = useAction((how: 'normal' | 'hard') => refreshApplication(send, place, how));
  return { refresh: (how: 'normal' | 'hard') => !isRefreshing && run(how), isRefreshing, error };
}
