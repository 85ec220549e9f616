/** The end of the form of a feed: what its test has seen, what the API said, and the buttons that test and save. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { textsOf } from '../../texts/texts.js';
import type { useConnectionTest } from './use-connection-test.js';

/** A test takes longer than it takes to load what shows its result. */
const seenFiles = later(() => import('./seen-files.js'));

const useText = textsOf('feed-form-end', {
  test: { en: 'Test the connection', de: 'Verbindung testen' },
  tested: { en: 'What the test has shown', de: 'Was der Test gezeigt hat' },
  testedNote: {
    en: 'Nothing is taken, sent or saved by a test.',
    de: 'Ein Test nimmt, sendet und speichert nichts.',
  },
  unlike: {
    en: 'You have changed something since: test again.',
    de: 'Sie haben seitdem etwas geändert: Testen Sie noch einmal.',
  },
  save: { en: 'Save the feed', de: 'Feed speichern' },
  saveUntested: { en: 'Save without a test', de: 'Ohne Test speichern' },
});

interface FormEndProps {
  readonly tested: ReturnType<typeof useConnectionTest>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What stands beside the buttons. */
  readonly children?: ReactNode;
}

export function FormEnd({ tested, isBusy, error, children }: FormEndProps) {
  const t = useText();
  const works = tested.isTried && tested.tried?.test?.reached === true;
  const files = useLater(seenFiles);
  const seen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tested.tried !== undefined) seen.current?.focus();
  }, [tested.tried]);
  return (
    <>
      <div ref={seen} tabIndex={-1} className="answer">
        {tested.tried === undefined ? null : (
          <Section title={t('tested')} note={tested.isTried ? t('testedNote') : t('unlike')}>
            {tested.tried.test === undefined ? (
              <ErrorPanel error={tested.tried.error} />
            ) : files === undefined ? null : (
              <files.SeenFiles test={tested.tried.test} />
            )}
          </Section>
        )}
      </div>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button
          kind={works ? 'plain' : 'primary'}
          isPending={tested.busy !== undefined}
          onPress={() => void tested.test()}
        >
          {t('test')}
        </Button>
        <Button type="submit" kind={works ? 'primary' : 'plain'} isPending={isBusy}>
          {works ? t('save') : t('saveUntested')}
        </Button>
        {children}
      </div>
    </>
  );
}
