/** The whole: who is logged in decides whether the login or the page of the address is shown. */
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { I18nProvider as AriaI18nProvider } from 'react-aria-components';
import { pageFollows } from './components/page.js';
import { LoginPage } from './pages/login.js';
import { router } from './router.js';
import { LoggedInContext } from './session/logged-in.js';
import { currentSession, logIn, type Session } from './session/session.js';
import { i18n, localeOf } from './texts/language.js';

const queries = new QueryClient({
  // The client repeats what can be repeated itself.
  defaultOptions: {
    queries: {
      ...{ retry: false, staleTime: 5_000, refetchOnWindowFocus: true },
      // A page that waits for the network in silence looks empty: it asks, says that there is no answer, and asks again.
      ...{ networkMode: 'always', refetchOnReconnect: true },
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

type State = { readonly session?: Session; readonly isAsking?: boolean; readonly error?: unknown };

export function App() {
  const [state, setState] = useState<State>({ isAsking: true });
  const [locale, setLocale] = useState(localeOf(i18n.locale));
  useEffect(() => i18n.on('change', () => setLocale(localeOf(i18n.locale))), []);
  useEffect(() => {
    const begin = async () => {
      const code = takeCode();
      return code === undefined ? currentSession() : logIn({ code });
    };
    begin().then(
      (session) => setState(session === undefined ? {} : { session }),
      (error: unknown) => setState({ error }),
    );
  }, []);
  const { session, isAsking = false, error } = state;
  const leave = () => {
    queries.clear();
    setState({});
  };
  return (
    <I18nProvider i18n={i18n}>
      <AriaI18nProvider locale={locale}>
        <QueryClientProvider client={queries}>
          {session !== undefined ? (
            <LoggedInContext value={{ session, renew: (renewed) => setState({ session: renewed }), leave }}>
              <RouterProvider router={router} />
            </LoggedInContext>
          ) : isAsking ? null : (
            <LoginPage
              refused={error}
              onLogin={(begun) => {
                pageFollows();
                setState({ session: begun });
              }}
            />
          )}
        </QueryClientProvider>
      </AriaI18nProvider>
    </I18nProvider>
  );
}

let taken: string | undefined;

/** The code of a link that logs in. It is valid once, and does not stay in the address. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    taken = code;
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return taken;
}
