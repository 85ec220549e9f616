/** What surrounds each page: the bar with the stage, the menu, and the login that is asked for when a session has ended. */
import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Icon, Sign } from '../components/icon.js';
import { later, useLater } from '../components/later.js';
import { Toasts } from '../components/toasts.js';
import { JobWatch } from '../jobs/job-watch.js';
import { hasExpired, onExpiry } from '../session/expiry.js';
import { keptStage } from '../session/kept-stage.js';
import { useLoggedIn } from '../session/logged-in.js';
import { mayDo } from '../session/session.js';
import { textsOf } from '../texts/texts.js';
import { useFocusGuard } from './focus-guard.js';
import { LoginDialog } from './login-dialog.js';
import { MENU } from './menu.js';
import { NewerNote } from './newer-note.js';
import { Person } from './person.js';
import { RouteAnnouncer } from './route-announcer.js';
import { StageSwitch } from './stage-switch.js';

const waiting = later(() => import('./loading.js'));

const useText = textsOf('frame', {
  skip: { en: 'Skip to the content', de: 'Zum Inhalt springen' },
  menu: { en: 'Menu', de: 'Menü' },
  home: { en: 'Longshore, first page', de: 'Longshore, erste Seite' },
});

export function Frame() {
  const t = useText();
  const { session } = useLoggedIn();
  const { stage: name = keptStage() } = useParams({ strict: false });
  const isExpired = useSyncExternalStore(onExpiry, hasExpired);
  const wait = useLater(waiting);
  useFocusGuard();
  const isLive = session.stages.some((stage) => stage.name === name && stage.live);
  return (
    <div className={isLive ? 'frame live' : 'frame'}>
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t('skip')}
      </button>
      <header className="bar">
        <Link to="/$stage/overview" params={{ stage: name }} className="brand" aria-label={t('home')}>
          <Sign />
          <span className="brand-name">Longshore</span>
        </Link>
        <StageSwitch stage={name} isLive={isLive} />
        <Person />
      </header>
      <nav className="menu" aria-label={t('menu')}>
        <ul>
          {MENU.filter(({ scope }) => scope === undefined || mayDo(session, scope)).map((entry) => (
            <MenuEntry key={entry.to} entry={entry} stage={name} />
          ))}
        </ul>
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
        {wait && <wait.Loading />}
      </main>
      <RouteAnnouncer />
      <JobWatch />
      <Toasts />
      <NewerNote />
      <LoginDialog isOpen={isExpired} />
    </div>
  );
}

function MenuEntry({ entry, stage }: { readonly entry: (typeof MENU)[number]; readonly stage: string }) {
  const title = entry.useTitle();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isCurrent = path.includes(entry.to.replace('/$stage', ''));
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // In a narrow window the menu is one line, of which some entries are out of sight.
    if (isCurrent && place.current !== null) showWithin(place.current);
  }, [isCurrent]);
  return (
    <li ref={place}>
      <Link to={entry.to} params={{ stage }} className={isCurrent ? 'menu-link current' : 'menu-link'}>
        <Icon name={entry.icon} />
        <span>{title}</span>
      </Link>
    </li>
  );
}

function showWithin(entry: HTMLLIElement): void {
  const list = entry.parentElement;
  if (list !== null) list.scrollLeft = entry.offsetLeft - list.offsetLeft - (list.clientWidth - entry.offsetWidth) / 2;
}
