/** The letters beyond ASCII that languages are written with, and short words that show which language a text is in. */

export interface Language {
  readonly name: string;
  /** In lower case. */
  readonly letters: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

function language(name: string, letters: string, words: string): Language {
  return { name, letters: new Set(letters), words: new Set(words.split(' ')) };
}

export const LANGUAGES: readonly Language[] = [
  language(
    'English',
    'éèêïñöüçàâ',
    'and the with for of name price stock size color colour colors colours available category width title product from date description brand image',
  ),
  language('German', 'äöüß', 'und mit der die das für aus von nicht auf zum bei ohne inkl preis artikel farbe'),
  language('French', 'éèêëàâùûüîïôçœæÿ', 'et le la les des du de avec pour sans une prix couleur taille dans sur'),
  language('Spanish', 'áéíóúñü', 'el la los las de del con para sin una precio nombre color y talla por'),
  language('Portuguese', 'áâãàçéêíóôõúü', 'de do da com para sem uma preço nome cor e os as por'),
  language(
    'Italian',
    'àèéìòù',
    'di il la le con per senza una prezzo nome colore colori categoria disponibile codice larghezza del della',
  ),
  language('Dutch', 'éëïóöü', 'en het een met voor van de prijs kleur naam zonder op'),
  language('Swedish', 'åäöé', 'och med för av som den det pris namn till utan'),
  language('Danish', 'æøåé', 'og med til af den det pris navn uden farve'),
  language('Finnish', 'äöå', 'ja on ei hinta nimi väri koko'),
  language('Polish', 'ąćęłńóśźż', 'i z na do dla w bez cena nazwa kolor rozmiar oraz'),
  language('Czech', 'áčďéěíňóřšťúůýž', 'a s na do pro bez v cena název barva velikost nebo'),
  language('Slovak', 'áäčďéíĺľňóôŕšťúýž', 'a s na do pre bez v cena názov farba veľkosť alebo'),
  language('Hungarian', 'áéíóöőúüű', 'és a az egy ár név szín méret nem'),
  language('Romanian', 'ăâîșşțţ', 'și cu de la pentru fără preț nume culoare'),
  language('Croatian', 'čćđšž', 'i s za u bez cijena naziv boja'),
  language('Turkish', 'çğıöşüâî', 've ile için bir fiyat renk ürün ad'),
  language('Vietnamese', 'àáâăèéêìíòóôơùúưýđ\u0300\u0301\u0303\u0309\u0323', 'cho trong theo tay xanh cao nam'),
  language('Estonian', 'äöõüšž', 'ja ning hind nimi värv'),
  language('Latvian', 'āčēģīķļņšūž', 'un ar no cena krāsa'),
  language('Lithuanian', 'ąčęėįšųūž', 'ir su be kaina spalva'),
  language('Russian', 'абвгдежзийклмнопрстуфхцчшщъыьэюяё', ''),
  language('Ukrainian', 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя', ''),
  language('Bulgarian', 'абвгдежзийклмнопрстуфхцчшщъьюя', ''),
  language('Hebrew', 'אבגדהוזחטיךכלםמןנסעףפץצקרשת', ''),
  language('Arabic', 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي', ''),
  language('Persian', 'ءآأئابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی', ''),
  language('Thai', 'กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮะาำเแโใไๅั ิ ี ึ ื ุ ู ็ ่ ้ ๊ ๋ ์'.replaceAll(' ', ''), ''),
  language('Greek', 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ', ''),
];

/** Signs that files of every language have. */
export const COMMON_SIGNS = new Set('€£®™©°²³½¼¾–—“”„‚‘’…•×µ§«»±№·\u00a0\u00ad');
