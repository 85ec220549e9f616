/** What pages are made of: sections, states that say what to do, figures, and badges. */
import type { ReactNode } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { Icon, type IconName } from './icon.js';

interface SectionProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Section({ title, note, actions, children, className = '' }: SectionProps) {
  return (
    <section className={`section ${className}`}>
      <div className="section-head">
        <div>
          <h2>{title}</h2>
          {note === undefined ? null : <p className="note">{note}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

interface EmptyStateProps {
  readonly title: string;
  /** What to do first. */
  readonly children: ReactNode;
  readonly icon?: IconName;
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, icon = 'file', action }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'neutral' | 'busy';

/** A state in one word; the colour repeats what the word says. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone;
  readonly note?: string;
}

/** Numbers that one looks for first. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, value, tone = 'neutral', note }) => (
        <div key={label} className={`figure ${tone}`}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note === undefined ? null : <span className="figure-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ProgressProps {
  readonly label: string;
  /** From 0 to 1; undefined: it is not known how much is left. */
  readonly share: number | undefined;
  readonly note?: string | undefined;
}

export function Progress({ label, share, note }: ProgressProps) {
  const props = share === undefined ? { isIndeterminate: true } : { value: share * 100 };
  return (
    <ProgressBar {...props} className="progress" aria-label={label}>
      {({ percentage, valueText }) => (
        <>
          <div className="progress-head">
            <span>{label}</span>
            <span className="progress-value">{share === undefined ? '' : valueText}</span>
          </div>
          <svg className="progress-track" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect
              className={share === undefined ? 'progress-fill endless' : 'progress-fill'}
              width={percentage ?? 30}
              height="1"
            />
          </svg>
          {note === undefined ? null : <p className="note">{note}</p>}
        </>
      )}
    </ProgressBar>
  );
}

interface NoticeProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

const NOTICE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  bad: 'warning',
  warn: 'warning',
  neutral: 'question',
  busy: 'clock',
};

export function Notice({ tone, title, children, actions }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={NOTICE_ICONS[tone]} />
      <div className="notice-body">
        <p className="notice-title">{title}</p>
        {children}
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
    </div>
  );
}
