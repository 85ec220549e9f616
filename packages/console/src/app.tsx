/** The whole: who is logged in decides whether the login or the page of the address is shown. */
import { I18nProvider } from '@lingui/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { I18nProvider as AriaI18nProvider } from 'react-aria-components/I18nProvider';
import { BASE } from './base.js';
import { later, loadSurely, useLater } from './components/later.js';
import { pageFollows } from './components/page.js';
import { NewerNote } from './frame/newer-note.js';
import type { OtherSessionProps } from './pages/other-session.js';
import { router } from './router.js';
import { keptReturn, takeCredentials, tellLoggedIn } from './session/arrival.js';
import { LoggedInContext } from './session/logged-in.js';
import { type Credentials, currentSession, logIn, type Session, SessionRefused } from './session/session.js';
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

/** Receivers of webhooks come by a link, and have no account. No stage has a name with this sign. */
const ReceiverApp = lazy(async () => ({ default: (await import('./pages/receiver/receiver-app.js')).ReceiverApp }));
const isReceiver = location.pathname.replace(/\/$/, '') === `${BASE}/console/~receiver`;

/** Who is logged in already sees neither. */
const loginPage = later(() => import('./pages/login.js'));
const otherSession = later(() => import('./pages/other-session.js'));

type Question = Omit<OtherSessionProps, 'onChosen'>;
type State = {
  readonly session?: Session;
  readonly isAsking?: boolean;
  readonly error?: unknown;
  readonly question?: Question;
};

export function App() {
  const [state, setState] = useState<State>({ isAsking: true });
  const [locale, setLocale] = useState(localeOf(i18n.locale));
  useEffect(() => i18n.on('change', () => setLocale(localeOf(i18n.locale))), []);
  useEffect(() => {
    if (isReceiver) return;
    void begun().then(setState);
  }, []);
  const { session, isAsking = false, error, question } = state;
  const login = useLater(loginPage);
  const other = useLater(otherSession);
  const leave = () => {
    queries.clear();
    setState({});
  };
  return (
    <I18nProvider i18n={i18n}>
      <AriaI18nProvider locale={locale}>
        <QueryClientProvider client={queries}>
          {isReceiver ? (
            <Suspense>
              <ReceiverApp />
            </Suspense>
          ) : session !== undefined ? (
            <LoggedInContext value={{ session, renew: (renewed) => setState({ session: renewed }), leave }}>
              <RouterProvider router={router} />
            </LoggedInContext>
          ) : isAsking ? null : question !== undefined ? (
            other && <other.OtherSessionPage {...question} onChosen={(chosen) => setState(stateOf(chosen))} />
          ) : login === undefined ? null : (
            <login.LoginPage
              refused={error}
              onLogin={(entered) => {
                pageFollows();
                setState({ session: entered });
              }}
            />
          )}
          {session === undefined && <NewerNote />}
        </QueryClientProvider>
      </AriaI18nProvider>
    </I18nProvider>
  );
}

const stateOf = (session: Session | undefined): State => (session === undefined ? {} : { session });

/** Who is logged in, or what is asked, with the page that asks it. */
async function begun(): Promise<State> {
  const state = await begin().catch((error: unknown): State => ({ error }));
  if (state.session === undefined && state.isAsking !== true)
    await loadSurely<unknown>(state.question === undefined ? loginPage : otherSession);
  return state;
}

/** Logs in with what the address contains, or goes on in the session that there is. */
async function begin(): Promise<State> {
  const credentials = takeCredentials();
  if (credentials === undefined) return stateOf(await currentSession());
  let session: Session;
  try {
    session = await logIn(credentials);
  } catch (error) {
    const question = questionOf(credentials, error);
    if (question === undefined) throw error;
    return { question };
  }
  tellLoggedIn();
  if (!('callback' in credentials)) return { session };
  // Loaded anew, so that nothing of the way remains.
  location.replace(keptReturn());
  return { isAsking: true };
}

/** A link logs in as somebody else than who is logged in. */
function questionOf(credentials: Credentials, error: unknown): Question | undefined {
  if (!('code' in credentials && error instanceof SessionRefused && error.code === 'OTHER_SESSION')) return undefined;
  const nameAt = (place: string) => error.problems.find(({ path }) => path === place)?.message ?? '';
  return { code: credentials.code, present: nameAt('present'), offered: nameAt('offered') };
}
