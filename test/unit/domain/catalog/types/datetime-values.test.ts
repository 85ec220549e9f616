import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileDateFormat } from '../../../../../src/domain/catalog/model/date-format.js';
import { canonicalIso } from '../../../../../src/domain/catalog/model/iso-date.js';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

const two = (value: number) => String(value).padStart(2, '0');
const instants = fc
  .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('canonicalIso', () => {
  it('knows the days that Date.UTC knows, and no others', () => {
    const parts = fc.tuple(
      fc.integer({ min: 100, max: 9999 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 33 }),
    );
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
        const date = new Date(Date.UTC(year, month - 1, day));
        const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCFullYear() === year;
        assert.equal(typeof canonicalIso(text) === 'string', real, text);
      }),
      { numRuns: 1000 },
    );
  });

  it('turns offsets into UTC as Date does', () => {
    const offsets = fc.tuple(
      fc.constantFrom('+', '-'),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    fc.assert(
      fc.property(instants, offsets, (instant, [sign, hours, minutes]) => {
        const text = instant.replace('Z', `${sign}${two(hours)}:${two(minutes)}`);
        assert.equal(canonicalIso(text), new Date(text).toISOString());
      }),
    );
  });
});

describe('DATETIME values', () => {
  const iso = compiled('DATETIME');

  it('are ISO 8601 where no format is set', () => {
    const cases = {
      '2024-02-29': '2024-02-29',
      '2024-01-31T09:30': '2024-01-31T09:30:00.000Z',
      '2024-01-31 09:30:15': '2024-01-31T09:30:15.000Z',
      '2024-01-31T09:30:15.5Z': '2024-01-31T09:30:15.500Z',
      '2024-01-31T23:30:00-02:00': '2024-02-01T01:30:00.000Z',
      '2024-01-31T23:30:00.123000+0000': '2024-01-31T23:30:00.123Z',
    };
    for (const [text, date] of Object.entries(cases)) {
      assert.equal(iso.fromText(text), `"${date}"`);
      assert.equal(iso.fromJson(text), `"${date}"`);
    }
  });

  it('are refused with VALUE_TYPE where the calendar or the clock has no such thing', () => {
    for (const text of [
      '2023-02-29',
      '2024-02-30',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '0000-01-01',
      '2100-02-29',
    ]) {
      assertRefused(iso.fromText(text), 'VALUE_TYPE', /calendar/);
    }
    for (const text of ['2024-01-01T24:00', '2024-01-01T12:60', '2024-01-01T12:00:60Z', '2024-01-01T12:00+24:00']) {
      assertRefused(iso.fromJson(text), 'VALUE_TYPE', /time of day/);
    }
    for (const text of ['31.01.2024', '2024-1-1', '20240131', 'today', '2024-01-31T', '45322']) {
      assertRefused(iso.fromText(text), 'VALUE_TYPE', /ISO 8601/);
    }
    for (const value of [45322, true, null, {}]) assertRefused(iso.fromJson(value), 'VALUE_TYPE');
  });

  it('are refused with VALUE_RANGE where something would have to be dropped', () => {
    assertRefused(iso.fromJson('2024-01-01T00:00:00.0001Z'), 'VALUE_RANGE', /millisecond/);
    assertRefused(iso.fromText('0001-01-01T00:00:00+01:00'), 'VALUE_RANGE', /years/);
    assertRefused(iso.fromText('9999-12-31T23:59:00-01:00'), 'VALUE_RANGE', /years/);
  });

  it("are read by the attribute's format, else by the job's", () => {
    const german = compiled('DATETIME', { format: 'dd.MM.yyyy HH:mm' }, { dateFormat: 'MM/dd/yyyy' });
    assert.equal(german.fromText('31.01.2024 09:30'), '"2024-01-31T09:30:00.000Z"');
    assert.equal(german.fromText('1.2.2024 9:30'), '"2024-02-01T09:30:00.000Z"');
    assertRefused(german.fromText('01/31/2024'), 'VALUE_TYPE', /dd\.MM\.yyyy/);
    assertRefused(german.fromText('31.02.2024 09:30'), 'VALUE_TYPE', /calendar/);
    const american = compiled('DATETIME', {}, { dateFormat: 'MM/dd/yyyy' });
    assert.equal(american.fromText('01/02/2024'), '"2024-01-02"');
    assertRefused(american.fromText('31/01/2024'), 'VALUE_TYPE', /calendar/);
  });

  it('know the hours of the 12-hour clock, literals and offsets', () => {
    const read = (format: string, text: string) => compiled('DATETIME', { format }).fromText(text);
    assert.equal(read('M/d/yyyy h:mm a', '1/2/2024 12:05 am'), '"2024-01-02T00:05:00.000Z"');
    assert.equal(read('M/d/yyyy h:mm a', '1/2/2024 12:05 PM'), '"2024-01-02T12:05:00.000Z"');
    assertRefused(read('M/d/yyyy h:mm a', '1/2/2024 13:05 PM'), 'VALUE_TYPE');
    assert.equal(read("yyyyMMdd'T'HHmmssXXX", '20240102T030405+01:00'), '"2024-01-02T02:04:05.000Z"');
    assert.equal(read("yyyyMMdd'T'HHmmssXXX", '20240102T030405+0100'), '"2024-01-02T02:04:05.000Z"');
    assert.equal(read('DD-MM-YYYY', '31-12-2024'), '"2024-12-31"');
  });

  it('in ISO are read beside a format, but never when they are shaped like it', () => {
    assert.equal(compiled('DATETIME', { format: 'dd.MM.yyyy' }).fromText('2024-01-31'), '"2024-01-31"');
    const swapped = compiled('DATETIME', { format: 'yyyy-dd-MM' });
    assert.equal(swapped.fromText('2024-12-01'), '"2024-01-12"');
    assertRefused(swapped.fromText('2024-01-31'), 'VALUE_TYPE', /calendar/);
    assertRefused(compiled('DATETIME', { format: 'dd.MM.yyyy' }).fromJson('31.01.2024'), 'VALUE_TYPE');
  });

  it("may stand among spaces, the format's own or others", () => {
    const read = (format: string, text: string) => compiled('DATETIME', { format }).fromText(text);
    assert.equal(read('dd.MM.yyyy', ' 31.01.2024 '), '"2024-01-31"');
    assert.equal(read(' dd.MM.yyyy ', ' 31.01.2024 '), '"2024-01-31"');
    assert.equal(read(' dd.MM.yyyy ', ' 2024-01-31 '), '"2024-01-31"');
  });

  it('keep their range; an end that is a day takes in all of it', () => {
    const ranged = compiled('DATETIME', { validation: { range: { min: '2024-01-01T12:00:00Z', max: '2024-01-31' } } });
    assert.equal(typeof ranged.fromText('2024-01-31T23:59:59Z'), 'string');
    assert.equal(typeof ranged.fromText('2024-01-02'), 'string');
    assertRefused(ranged.fromText('2024-01-01'), 'VALUE_RANGE', /earliest allowed/);
    assertRefused(ranged.fromText('2024-02-01'), 'VALUE_RANGE', /latest allowed/);
  });

  it('come back from a file as they were, also where the format cannot express them', () => {
    const formats = [
      'dd.MM.yyyy',
      'MM/dd/yyyy HH:mm',
      'M/d/yyyy h:mm:ss a',
      "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
      'yyyy-dd-MM',
      'yyyyMMdd',
      ' dd.MM.yyyy ',
      "yyyy MM dd'  '",
      undefined,
    ];
    const dates = fc.oneof(
      instants,
      instants.map((instant) => instant.slice(0, 10)),
      instants.map((instant) => `${instant.slice(0, 16)}:00.000Z`),
    );
    fc.assert(
      fc.property(dates, fc.constantFrom(...formats), (date, format) => {
        const attribute = compiled('DATETIME', { format });
        assert.equal(attribute.fromText(attribute.toText(date)), JSON.stringify(date));
      }),
      { numRuns: 500 },
    );
    assert.equal(compiled('DATETIME', { format: 'dd.MM.yyyy' }).toText('2024-01-31'), '31.01.2024');
    assert.equal(
      compiled('DATETIME', { format: 'h:mm a, d/M/yyyy' }).toText('2024-01-05T00:07:00.000Z'),
      '12:07 AM, 5/1/2024',
    );
  });
});

describe('compileDateFormat', () => {
  it('refuses what would have to be guessed, and says why', () => {
    const cases: [string, RegExp][] = [
      ['dd/mm/yyyy', /MM is the month/],
      ['dd/MM/yy', /century/],
      ['yyyy-MM', /needs yyyy, MM and dd/],
      ['dd MMM yyyy', /"MMM" is not a part/],
      ['yyyy-MM-dd hh:mm', /need each other/],
      ['yyyy-MM-dd HH:mm a', /need each other/],
      ['yyyy-MM-dd dd', /twice/],
      ['yyyyMd', /separator/],
      ["yyyy-MM-dd'T", /never closed/],
      ['yyyy-MM-dd ss', /needs/],
      ['', /needs yyyy/],
    ];
    for (const [format, message] of cases) assert.throws(() => compileDateFormat(format), message, format);
  });
});
