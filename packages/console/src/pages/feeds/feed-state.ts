/** How a feed is doing, and why it failed or does nothing, in words and in a colour. */
import type { Tone } from '../../components/content.js';
import { textsOf } from '../../texts/texts.js';
import { type Feed, type FeedRun, isRunning } from './use-feeds.js';

const useStateWords = textsOf('feed-state', {
  RUNNING: { en: 'Running', de: 'Läuft' },
  PAUSED: { en: 'Paused', de: 'Pausiert' },
  STOPPED: { en: 'Paused by Longshore', de: 'Von Longshore pausiert' },
  FAILING: { en: 'Failing', de: 'Fehlerhaft' },
  ACTIVE: { en: 'Active', de: 'Aktiv' },
  onRequest: { en: 'Somebody has paused it.', de: 'Jemand hat ihn pausiert.' },
});

type State = 'RUNNING' | 'PAUSED' | 'STOPPED' | 'FAILING' | 'ACTIVE';

const TONES: Readonly<Record<State, Tone>> = {
  RUNNING: 'busy',
  PAUSED: 'neutral',
  STOPPED: 'bad',
  FAILING: 'bad',
  ACTIVE: 'good',
};

/** The reason of a feed that somebody has paused. */
const ON_REQUEST = 'paused on request';

function stateOf(feed: Feed): State {
  if (isRunning(feed)) return 'RUNNING';
  if (feed.state === 'PAUSED') return feed.pauseReason === ON_REQUEST ? 'PAUSED' : 'STOPPED';
  return feed.failures > 0 ? 'FAILING' : 'ACTIVE';
}

export function toneOf(feed: Feed): Tone {
  return TONES[stateOf(feed)];
}

export function useStateText(): (feed: Feed) => string {
  const t = useStateWords();
  return (feed) => t(stateOf(feed));
}

/** Why it is paused. `isSaid`: as the API says it, in English. */
export function usePauseText(): (reason: string) => { readonly text: string; readonly isSaid: boolean } {
  const t = useStateWords();
  return (reason) => (reason === ON_REQUEST ? { text: t('onRequest'), isSaid: false } : { text: reason, isSaid: true });
}

const useFailureWords = textsOf('feed-failure', {
  UNREACHABLE: {
    en: 'The server cannot be reached: check the name and the port. It is tried again by itself.',
    de: 'Der Server ist nicht erreichbar: Prüfen Sie Namen und Port. Es wird von selbst wieder versucht.',
  },
  TIMED_OUT: {
    en: 'The server does not answer in time. Ask who runs it; firewalls often drop requests without an answer.',
    de: 'Der Server antwortet nicht rechtzeitig. Fragen Sie, wer ihn betreibt; Firewalls verwerfen Anfragen oft ohne Antwort.',
  },
  REFUSED_LOGIN: {
    en: 'The server refuses the login: correct the user and enter the password or key again.',
    de: 'Der Server lehnt die Anmeldung ab: Korrigieren Sie den Benutzer und geben Sie Passwort oder Schlüssel neu ein.',
  },
  WRONG_HOST_KEY: {
    en: 'The server shows another key than before. Ask who runs it whether the key was renewed, and only then ask the server for its key again.',
    de: 'Der Server zeigt einen anderen Schlüssel als bisher. Fragen Sie den Betreiber, ob er erneuert wurde, und lesen Sie erst dann den Schlüssel neu ein.',
  },
  NOT_FOUND: {
    en: 'There is no such file, folder or bucket: correct it, or wait until it is there.',
    de: 'Diese Datei, diesen Ordner oder diesen Bucket gibt es nicht: Korrigieren Sie ihn oder warten Sie, bis er da ist.',
  },
  NOT_ALLOWED: {
    en: 'This may not be read: the server or the operator of Longshore has to allow it.',
    de: 'Das darf nicht gelesen werden: Der Server oder der Betreiber von Longshore muss es erlauben.',
  },
  NOT_A_FILE: {
    en: 'There is no file but a page or a folder: open the address without being logged in, it mostly shows a login.',
    de: 'Dort liegt keine Datei, sondern eine Seite oder ein Ordner: Öffnen Sie die Adresse unangemeldet, meist zeigt sie einen Login.',
  },
  TOO_LARGE: {
    en: 'The file is too large, or the folder has too many files: divide it, or have taken files moved away.',
    de: 'Die Datei ist zu groß, oder der Ordner hat zu viele Dateien: Teilen Sie sie oder lassen Sie genommene Dateien verschieben.',
  },
  CHANGED_WHILE_READ: {
    en: 'The file was changed while it was read. The next run looks again.',
    de: 'Die Datei wurde während des Lesens geändert. Der nächste Lauf sieht wieder nach.',
  },
  BROKEN_OFF: {
    en: 'The connection was cut. The next run tries again.',
    de: 'Die Verbindung ist abgebrochen. Der nächste Lauf versucht es wieder.',
  },
  NOT_SUPPORTED: {
    en: 'The server cannot do what the feed asks for.',
    de: 'Der Server kann nicht, was der Feed verlangt.',
  },
  PROFILE_NOT_FOUND: {
    en: 'The import profile is no longer there: choose another one.',
    de: 'Das Importprofil gibt es nicht mehr: Wählen Sie ein anderes.',
  },
  QUOTA_OF_BYTES: {
    en: 'The account has no room for more files: ask your operator, or delete what is not needed.',
    de: 'Das Konto hat keinen Platz für weitere Dateien: Fragen Sie Ihren Betreiber oder löschen Sie, was nicht gebraucht wird.',
  },
});

/** A failure in a sentence, with what to do; undefined: there is only what the API says. */
export function useFailureText(): (code: string) => string | undefined {
  const t = useFailureWords();
  return (code) => {
    const text = t(code as Parameters<typeof t>[0]);
    // Of a code that is not known here there is no text but its own id.
    return text === `feed-failure.${code}` ? undefined : text;
  };
}

const RUN_TONES: Readonly<Record<string, Tone>> = {
  SCHEDULED: 'busy',
  IN_PROGRESS: 'busy',
  COMPLETED: 'good',
  COMPLETED_PARTIALLY: 'warn',
  FAILED: 'bad',
};

const useRunWords = textsOf('feed-run-state', {
  SCHEDULED: { en: 'Begins', de: 'Beginnt' },
  IN_PROGRESS: { en: 'Running', de: 'Läuft' },
  COMPLETED: { en: 'Done', de: 'Fertig' },
  COMPLETED_PARTIALLY: { en: 'Partly failed', de: 'Teils fehlgeschlagen' },
  FAILED: { en: 'Failed', de: 'Fehlgeschlagen' },
  CANCELLED: { en: 'Cancelled', de: 'Abgebrochen' },
  OTHER: { en: 'No longer kept', de: 'Nicht mehr aufbewahrt' },
});

const RUN_STATES = ['SCHEDULED', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED_PARTIALLY', 'FAILED', 'CANCELLED'] as const;

export function runToneOf({ status }: FeedRun): Tone {
  return RUN_TONES[status ?? ''] ?? 'neutral';
}

export function useRunStateText(): (run: FeedRun) => string {
  const t = useRunWords();
  return ({ status }) =>
    status === 'CANCELLATION_IN_PROGRESS' ? t('CANCELLED') : t(RUN_STATES.find((known) => known === status) ?? 'OTHER');
}
