/** The step that reads dates of the given formats. */
import { z } from 'zod';
import { compileDateFormat } from '../../catalog/model/date-format.js';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, StepFailure } from './step.js';

const MAX_FORMATS = 10;

const dateFormat = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    try {
      compileDateFormat(value);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      issues.push({ code: 'custom', input: value, message: error.message });
    }
  });

export const dateStep = defineStep({
  schema: z.strictObject({
    step: z.literal('date'),
    formats: z
      .array(dateFormat)
      .min(1)
      .max(MAX_FORMATS)
      .meta({ description: 'Such as `dd.MM.yyyy`. They are tried in this order' }),
  }),
  result: 'date',
  compile: ({ formats }) => {
    const compiled = formats.map((format) => compileDateFormat(format));
    const known = formats.length === 1 ? `the format ${formats[0]}` : `one of the formats ${formats.join(', ')}`;
    return (text) => {
      const trimmed = text.trim();
      let isNoDay = false;
      for (const format of compiled) {
        const date = format.read(trimmed);
        if (typeof date === 'string') return date;
        isNoDay ||= date.fault !== 'shape';
      }
      return new StepFailure(
        isNoDay ? `${quoted(text)} is a day or a time that does not exist` : `${quoted(text)} is no date in ${known}`,
      );
    };
  },
  inverse: ({ formats }) => {
    const compiled = formats.map((format) => compileDateFormat(format));
    const read = (text: string) => compiled.map((format) => format.read(text)).find((date) => typeof date === 'string');
    return {
      // An earlier format may read what a later one writes, as another day.
      write: (date) =>
        compiled.map((format) => format.write(date)).find((text) => text !== null && read(text) === date) ?? null,
      loss: null,
    };
  },
});
