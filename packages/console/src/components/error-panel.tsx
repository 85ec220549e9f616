/** Says what the API said, and what to do about it. */
import { LongshoreError } from '@longshore/client';
import { NewerVersion } from '../newer-version.js';
import { withoutTurns } from '../texts/set-apart.js';
import { textsOf } from '../texts/texts.js';
import { Button } from './button.js';
import { Notice } from './content.js';

const useText = textsOf('error', {
  network: { en: 'Longshore does not answer', de: 'Longshore antwortet nicht' },
  networkHelp: {
    en: 'Check your connection and try again. Nothing that you typed is lost.',
    de: 'Prüfen Sie die Verbindung und versuchen Sie es noch einmal. Was Sie eingegeben haben, bleibt erhalten.',
  },
  forbidden: { en: 'Your token does not allow this', de: 'Ihr Token erlaubt das nicht' },
  forbiddenHelp: {
    en: 'Ask the owner of the account for a token with the scope that is named here.',
    de: 'Bitten Sie den Inhaber des Kontos um einen Token mit dem Recht, das hier genannt ist.',
  },
  missing: { en: 'This is not there any more', de: 'Das gibt es nicht mehr' },
  missingHelp: {
    en: 'It was deleted, is no longer kept, or belongs to another stage or account.',
    de: 'Es wurde gelöscht, wird nicht länger aufbewahrt oder gehört zu einer anderen Stage oder einem anderen Konto.',
  },
  conflict: { en: 'It has changed meanwhile', de: 'Es hat sich inzwischen geändert' },
  conflictHelp: {
    en: 'Load the page again to see how it is now.',
    de: 'Laden Sie die Seite neu, um den jetzigen Stand zu sehen.',
  },
  invalid: { en: 'This was not accepted', de: 'Das wurde nicht angenommen' },
  invalidHelp: {
    en: 'Correct what is named here and try again.',
    de: 'Korrigieren Sie, was hier genannt ist, und versuchen Sie es noch einmal.',
  },
  busy: { en: 'Longshore is busy', de: 'Longshore ist ausgelastet' },
  busyHelp: { en: 'Try again in a moment.', de: 'Versuchen Sie es gleich noch einmal.' },
  outdated: { en: 'A newer version of this page is there', de: 'Von dieser Seite gibt es eine neuere Version' },
  outdatedHelp: {
    en: 'Load it to go on. What you typed is here again afterwards, but for passwords and keys.',
    de: 'Laden Sie sie, um weiterzumachen. Was Sie eingegeben haben, ist danach wieder da, nur Passwörter und Schlüssel nicht.',
  },
  load: { en: 'Load it', de: 'Neuere Version laden' },
  other: { en: 'Something went wrong', de: 'Etwas ist schiefgegangen' },
  otherHelp: {
    en: 'Try again. If it stays like this, tell your operator the number of the request.',
    de: 'Versuchen Sie es noch einmal. Bleibt es so, nennen Sie Ihrem Betreiber die Nummer der Anfrage.',
  },
  again: { en: 'Try again', de: 'Noch einmal versuchen' },
  request: { en: 'Request {id}', de: 'Anfrage {id}' },
});

type Kind = 'outdated' | 'network' | 'forbidden' | 'missing' | 'conflict' | 'invalid' | 'busy' | 'other';

interface ErrorPanelProps {
  readonly error: unknown;
  /** What is tried again. */
  readonly onRetry?: (() => void) | undefined;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps) {
  const t = useText();
  const kind = kindOf(error);
  const { problems, requestId } = error instanceof LongshoreError ? error : { problems: [], requestId: undefined };
  // What concerns no part of the request is often what was said already.
  const others = problems.filter(({ path, message }) => Boolean(path) || message !== saidBy(error));
  const retry =
    onRetry === undefined
      ? {}
      : { actions: <Button onPress={onRetry}>{t(kind === 'outdated' ? 'load' : 'again')}</Button> };
  return (
    <Notice tone={kind === 'outdated' ? 'warn' : 'bad'} title={t(kind)} {...retry}>
      <p>{t(`${kind}Help`)}</p>
      {kind === 'network' || kind === 'outdated' ? null : <p className="said">{saidBy(error)}</p>}
      {others.length === 0 ? null : (
        <ul className="said">
          {others.slice(0, 20).map(({ path, message }) => (
            <li key={`${path}: ${message}`}>
              {withoutTurns(path === undefined || path === '' ? message : `${path}: ${message}`)}
            </li>
          ))}
        </ul>
      )}
      {requestId === undefined ? null : <p className="small">{t('request', { id: requestId })}</p>}
    </Notice>
  );
}

function kindOf(error: unknown): Kind {
  if (error instanceof NewerVersion) return 'outdated';
  // A part of the program that could not be loaded, as every browser says it.
  if (error instanceof TypeError && /import|module|fetch/i.test(error.message)) return 'network';
  if (!(error instanceof LongshoreError)) return 'other';
  const { status } = error;
  if (status === 0) return 'network';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'missing';
  if (status === 409) return 'conflict';
  if (status === 400 || status === 413 || status === 415 || status === 422) return 'invalid';
  return status === 429 || status === 503 ? 'busy' : 'other';
}

/** What the API said, without the name of the request, which is for programmers. */
function saidBy(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return withoutTurns(message.replace(/^[A-Z]+ \S+ was answered \d+: /, ''));
}
