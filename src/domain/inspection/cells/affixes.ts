/** Units and currencies as they stand beside numbers. */

/** In lower case. A code such as `42A` is no number with a unit, but `42 A` may be. */
const UNITS = new Set(
  (
    "mm cm dm m km in inch inches zoll \" '' ft foot yd mil " +
    'mg g gr kg t lb lbs oz kilo ' +
    'ml cl dl l ltr liter litre litres hl gal m² m2 qm cm² m³ m3 ccm cbm sqm ' +
    'v mv kv w kw mw kwh wh a ma mah ah va kva hz khz mhz ghz ohm ω lm lx cd ' +
    'bar mbar pa kpa n nm j kj kcal ps hp ' +
    '% ‰ ° °c °f k °k c f ' +
    's sek sec ms min h std hr hrs tag tage day days jahr jahre year years monat monate month months ' +
    'b kb mb gb tb bit mbit gbit kbit/s mbit/s gbit/s mbps gbps dpi px mp ' +
    'km/h m/s kg/m g/m² g/m2 l/min rpm u/min /min db db(a) ' +
    'stk stk. stück stueck st st. pcs pc pce pieces ks szt szt. pz pz. pza ud uds un und ea x er ve pack paar pair 個 台 枚 本 件 個入 キロ ' +
    'мм см дм м км мг г гр кг т мл л вт квт шт шт. уп уп. 克 公斤 千克 毫米 厘米 公分 米 升 毫升 개 ' +
    'กก. กรัม ซม. ชิ้น ס"מ ק"ג גרם מ"מ سم مم كجم جم'
  ).split(' '),
);

const CURRENCY_SIGNS = new Set(
  (
    '€ $ £ ¥ ￥ 円 元 ₽ ₴ ₺ ₹ ₩ ₪ ₫ ฿ ₱ ₸ ₾ ₼ ₦ zł kč kr kr. ft lei lv. din fr. fr sfr sfr. r$ us$ a$ c$ nt$ hk$ ca$ au$ s$ ' +
    '원 tl đ đồng rs rs. rp бел.р. руб руб. р. грн грн. лв лв. тг сом บาท ש"ח שח ر.س د.إ ج.م ريال درهم تومان'
  ).split(' '),
);
const CURRENCY_CODES = new Set(
  (
    'eur usd gbp chf pln czk sek nok dkk huf ron bgn hrk rsd rub uah try jpy cny rmb inr krw brl mxn ars clp cop ' +
    'aud nzd cad zar sgd hkd twd thb ils aed sar isk vnd idr myr php kzt gel egp mad kwd qar pkr ngn nis euro dollar'
  ).split(' '),
);

/** What stands for cents that are none: `12,–`, `12.-`, perhaps before a currency: `12,– €`. */
const NO_CENTS = /^[.,:][-\u2012-\u2015]+\s*/;
/** The sign of a negative number behind it, as SAP writes it: `12,50-`. */
export const MINUS_BEHIND = '-';

export type Affix = 'currency' | 'unit' | 'minus' | 'unknown';

/** A column has few affixes, but a column of codes has many. */
const MAX_KNOWN = 500;
const known = new Map<string, Affix>();

/** What stands after (or before) the number. `ft` is a unit, not the forint, unless the column says otherwise. */
export function affixKind(text: string): Affix {
  const before = known.get(text);
  if (before !== undefined) return before;
  const found = findKind(text.toLowerCase());
  if (known.size < MAX_KNOWN) known.set(text, found);
  return found;
}

function findKind(lower: string): Affix {
  if (lower === MINUS_BEHIND) return 'minus';
  const ofCents = withoutCents(lower);
  if (ofCents === '') return 'currency';
  if (ofCents !== lower) return findKind(ofCents) === 'currency' ? 'currency' : 'unknown';
  if (CURRENCY_CODES.has(lower)) return 'currency';
  if (UNITS.has(lower)) return 'unit';
  return CURRENCY_SIGNS.has(lower) ? 'currency' : 'unknown';
}

/** The affix without what stands for cents: `12,– €` and `12,50 €` have one currency. */
export function withoutCents(text: string): string {
  return text.replace(NO_CENTS, '');
}
