import './kit/tokens.css';
import './kit/page.css';
import './kit/controls.css';
import './kit/forms.css';
import './kit/floating.css';
import { createRoot } from 'react-dom/client';
import { realClock } from '#base/std';
import { createSend } from './data/client.ts';
import { LiveProvider } from './data/live.tsx';
import { applicationSetSource, applicationSource, ObjectFeed } from './data/object-feed.ts';
import { Revisions } from './data/revisions.ts';
import { SessionState } from './data/session-state.ts';
import { Boundary } from './kit/boundary.tsx';
import { addressOf, here, navigate } from './kit/location.ts';
import { Pages } from './routes.tsx';

const session = new SessionState();
const send = createSend(addressOf, (wasIn) => {
  if (here().startsWith('/login')) return;
  if (wasIn) session.end();
  else navigate(`/login?return_url=${encodeURIComponent(here())}`, 'replace');
});
const live = {
  send,
  session,
  applications: new ObjectFeed(applicationSource, send, realClock),
  sets: new ObjectFeed(applicationSetSource, send, realClock),
  revisions: new Revisions(send),
};

if (here().split('?')[0] === '/') navigate('/applications', 'replace');

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <LiveProvider live={live}>
      <Boundary>
        <Pages />
      </Boundary>
    </LiveProvider>,
  );
}
