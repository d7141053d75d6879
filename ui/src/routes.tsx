import { useListening } from './data/live.tsx';
import { useAddress } from './kit/location.ts';
import { ApplicationPage } from './pages/application.tsx';
import { ApplicationSetPage } from './pages/application-set.tsx';
import { ApplicationSetsPage } from './pages/application-sets.tsx';
import { ApplicationsPage } from './pages/applications.tsx';
import { LoginPage } from './pages/login.tsx';
import { NowherePage } from './pages/nowhere.tsx';
import { type Route, routeOf } from './shape/address.ts';

/** Address in, page out. */
export function Pages() {
  const { path } = useAddress();
  const route = routeOf(path);
  return route.page === 'login' ? <LoginPage /> : <SignedIn route={route} />;
}

/** Every page but the sign-in listens to the server. */
function SignedIn({ route }: { route: Exclude<Route, { page: 'login' }> }) {
  useListening();
  switch (route.page) {
    case 'applications':
      return <ApplicationsPage />;
    case 'application':
      return <ApplicationPage key={`${route.namespace}/${route.name}`} place={route} />;
    case 'sets':
      return <ApplicationSetsPage />;
    case 'set':
      return <ApplicationSetPage key={`${route.namespace}/${route.name}`} place={route} />;
    case 'nowhere':
      return <NowherePage />;
  }
}
