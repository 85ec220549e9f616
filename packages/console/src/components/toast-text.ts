/** What is told in a corner of the page. */
import type { ReactNode } from 'react';
import type { Tone } from './content.js';

export interface ToastText {
  readonly tone: Tone;
  /** In one sentence, for the title of the window. */
  readonly title: string;
  /** Shown in the language that is chosen by then; undefined: the title. */
  readonly content?: ReactNode;
}
