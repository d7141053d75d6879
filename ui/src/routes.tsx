import { lazy, Suspense, useEffect } from 'react';
import { useListening } from './data/live.tsx';
import { navigate, useAddress } from './kit/location.ts';
import { ApplicationPage } from './pages/application.tsx';
import { ApplicationSetPage } from './pages/application-set.tsx';
import { ApplicationSetsPage } from './pages/application-sets.tsx';
import { ApplicationsPage } from './pages/applications.tsx';
import { LoginPage } from './pages/login.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { type Route, routeOf } from './shape/address.ts';
import { redirectOf } from './shape/foreign-links.ts';

// what few people open, and not every day, is loaded when it is opened
const SettingsPage = lazy(() =>
  import('./pages/settings.tsx').then((one) => ({ default: one.SettingsPage })),
);
const UserPage = lazy(() => import('./pages/user.tsx').then((one) => ({ default: one.UserPage })));

/** Address in, page out. */
export function Pages() {
  const { path, query } = useAddress();
  const route = routeOf(path);
  const elsewhere = redirectOf(path, query);
  useEffect(() => {
    if (elsewhere) navigate(elsewhere, 'replace');
  }, [elsewhere]);
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
    case 'settings':
      return (
        <Suspense fallback={null}>
          <SettingsPage
            key={`${route.section} ${route.name ?? ''}`}
            section={route.section}
            name={route.name}
          />
        </Suspense>
      );
    case 'user':
    case 'help':
      return (
        <Suspense fallback={null}>
          <UserPage page={route.page} />
        </Suspense>
      );
    case 'nowhere':
      return <NotFoundPage instead={route.instead} />;
  }
}
