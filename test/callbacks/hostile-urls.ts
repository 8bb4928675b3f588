/**
 * Addresses that somebody might set to make Malipo call what only Malipo can reach. `PORT` stands for the canary's
 * port. None of the first list may be set; the second ones can, because only their name servers know where they lead.
 */
export const refusedUrls: Record<string, string[]> = {
  'loopback as it is': at(`
    127.0.0.1 127.0.0.2 127.255.255.254 [::1] [0:0:0:0:0:0:0:1] [0000::0001] 0.0.0.0 [::]
    HTTPS://127.0.0.1:PORT/ https:///127.0.0.1:PORT/ https:////127.0.0.1:PORT/
  `),
  'decimal, octal and hexadecimal addresses': at(`
    2130706433 017700000001 0x7f000001 0x7F000001 0X7F.0X0.0X0.0X1 0177.0.0.1 0000177.0.0.01 0x7f.0.0.1
    0x7f.0.0.0x1 0177.0x0.0.1 0x7f.00.0.0x01 127.0x1 127.00000001 0 0x0 00000000000 2852039166
    3232235521 4294967295 4294967296 127.0.0.256 127.0.0.1.1
  `),
  'short addresses': at('127.1 127.0.1 127 0.1 10.1 192.168.257 0177.1 0x7f.1'),
  'addresses that are not public': at(`
    10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 192.0.0.192 192.0.2.1 198.51.100.1
    203.0.113.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255
    https://169.254.169.254:PORT/latest/meta-data/
  `),
  'IPv4 inside IPv6': at(`
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1]
    [::ffff:169.254.169.254] [::ffff:0:127.0.0.1] [::127.0.0.1] [::7f00:1] [64:ff9b::127.0.0.1]
    [64:ff9b::7f00:1] [64:ff9b::a00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1]
    [2002:a00:1::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe]
  `),
  'IPv6 that is not public': at(`
    [fc00::1] [fd00:ec2::254] [fe80::1] [febf::1] [fec0::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1]
    [2001:2::1] [4000::1] [5f00::1]
  `),
  'zones, and brackets that are none': at(
    '[fe80::1%25lo] [fe80::1%lo] [fe80::1%25eth0] [::1%25lo] [::1%1] [127.0.0.1] [localhost] ::1',
  ),
  'letters and digits that look like others': at(`
    １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127｡0｡0｡1 𝟏𝟐𝟕.𝟎.𝟎.𝟏 0𝔵7f.1 ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
    LOCALHOſT %31%32%37.0.0.1 127%2e0%2e0%2e1 %6c%6f%63%61%6c%68%6f%73%74
    https://loc\u00adalhost:PORT/
  `),
  'names without a dot, and local ones': at(`
    localhost LOCALHOST intranet kubernetes ip6-localhost duka ofisi-ñ api.localhost
    localhost.localdomain printer.local metadata.google.internal router.home.arpa
  `),
  'trailing dots': at('127.0.0.1. 127.1. 2130706433. 0x7f000001. localhost. intranet. api.localhost.'),
  'user names that look like hosts': at(`
    shop.example@127.0.0.1 shop.example:443@127.0.0.1 shop.example%2f@127.0.0.1
    shop.example%23@127.0.0.1 user:secret@[::1] @127.0.0.1 :@127.0.0.1 a@b@127.0.0.1
    https://127.0.0.1:PORT@shop.example/ https://shop.example\\@127.0.0.1:PORT/
    https://127.0.0.1:PORT\\@shop.example/ https:\\\\127.0.0.1:PORT/ https:/\\127.0.0.1:PORT/
  `),
  'spaces and control characters': [
    ' https://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/ ',
    'https://127.0.\t0.1:PORT/',
    'https://127.0.0.1\n:PORT/',
    'ht\ntps://127.0.0.1:PORT/',
    '\u0000https://127.0.0.1:PORT/',
    'https://127.0.0.1\u0000.shop.example:PORT/',
    'https://shop.example\r\n127.0.0.1:PORT/',
    'https://shop.example:PORT/ HTTP/1.1\r\nHost: 127.0.0.1',
  ],
  'other schemes': words(`
    http://127.0.0.1:PORT/ http://localhost:PORT/ http://shop.example:PORT/ ftp://127.0.0.1:PORT/
    file://127.0.0.1:PORT/ file:///etc/passwd gopher://127.0.0.1:PORT/_POST ws://127.0.0.1:PORT/
    dict://127.0.0.1:PORT/ unix:/var/run/docker.sock data:application/json,{}
    javascript:fetch("https://127.0.0.1:PORT/") https:127.0.0.1:PORT https:/127.0.0.1:PORT/
    //127.0.0.1:PORT/ 127.0.0.1:PORT
  `),
  'other ports': at(`
    https://shop.example:22/ https://shop.example:80/ https://shop.example:0/ https://shop.example:5432/
    https://shop.example:7233/ https://shop.example:65536/ https://127.0.0.1:0PORT/ https://127.0.0.1/
    https://127.0.0.1:8443/
  `),
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Each word is a host with the canary's port, or an address of its own. */
function at(text: string): string[] {
  return words(text).map((word) => (/^https:[/\\]/i.test(word) ? word : `https://${word}:PORT/`));
}

/**
 * An address that the guard takes for public, and that nobody has: IANA never handed out 2e00::/8. So a test that dials
 * it disturbs nobody.
 */
const NOBODY = '2e00::1';

/** Names, and what their name servers answer to the first, the second … question; the last answer stays. */
export const treacherousNames: Record<string, { host: string; answers: string[][] }[]> = {
  'names of what is not public': [
    ...words(`
      127.0.0.1 ::1 127.0.0.53 0.0.0.0 :: 10.0.0.1 169.254.169.254 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1
      2002:7f00:1:: 2001:0:7f00:1:: fd00::1 fe80::1 fe80::1%lo ::1%lo localhost 127.1
    `).map((address, at) => ({ host: `name-${at}.example`, answers: [[address]] })),
    { host: 'nothing.example', answers: [[]] },
    { host: 'trailing-dot.example.', answers: [['127.0.0.1']] },
    { host: 'xn--caf-dma.example', answers: [['127.0.0.1']] },
    { host: 'café.example', answers: [['::1']] },
    { host: '127.0.0.1.nip.example', answers: [['127.0.0.1']] },
    { host: 'localhost.shop.example', answers: [['127.0.0.1']] },
  ],
  'names of both': [
    { host: 'both.example', answers: [[NOBODY, '127.0.0.1']] },
    { host: 'both-turned.example', answers: [['127.0.0.1', NOBODY]] },
    { host: 'both-six.example', answers: [[NOBODY, '::1']] },
    { host: 'both-six-turned.example', answers: [['::1', NOBODY]] },
    { host: 'both-families.example', answers: [['127.0.0.1', '::1']] },
    { host: 'both-mapped.example', answers: [[NOBODY, '::ffff:127.0.0.1']] },
    { host: 'last-of-many.example', answers: [[NOBODY, '2e00::2', '2e00::3', '2e00::4', '127.0.0.1']] },
  ],
  'names that are public first and private later': [
    { host: 'rebound.example', answers: [[NOBODY], ['127.0.0.1']] },
    { host: 'rebound-six.example', answers: [[NOBODY], ['::1']] },
    { host: 'rebound-both.example', answers: [[NOBODY], ['127.0.0.1', '::1']] },
    { host: 'rebound-mixed.example', answers: [[NOBODY], [NOBODY, '127.0.0.1']] },
    { host: 'rebound-late.example', answers: [[NOBODY], [NOBODY], ['127.0.0.1']] },
  ],
};
