import { createHash } from 'node:crypto';

/** Every page contains the styles: on a slow line nothing else has to load. */
export const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--band:#f3f5f7;--line:#c9d1d9;
--act:#0b57b0;--bad:#a40e26;--good:#116329}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--paper:#0f1419;--band:#1a2129;
--line:#39424d;--act:#7ab7ff;--bad:#ff8f9c;--good:#6fdd8b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif;
overflow-wrap:anywhere}
a{color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:0;background:var(--paper);padding:.5rem}
body>header{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:center;padding:.6rem 1rem;
background:var(--band);border-bottom:1px solid var(--line)}
nav{display:flex;flex-wrap:wrap;gap:.2rem .4rem;align-items:center}
nav details{position:relative;border:0;margin:0;padding:0}nav summary{padding:.3rem .6rem}
nav .here{text-decoration:underline;text-underline-offset:.3em}
nav ul{position:absolute;z-index:1;min-width:10rem;list-style:none;margin:0;padding:.3rem 0;
background:var(--paper);border:1px solid var(--soft);border-radius:4px}
nav li a{display:block;padding:.35rem .8rem}
.badge{background:var(--bad);color:var(--paper);border-radius:1rem;padding:.15rem .7rem;font-weight:700;
text-decoration:none}
nav a[aria-current]{font-weight:700;text-decoration:none;color:var(--ink)}
header form{margin:0 0 0 auto}
main{max-width:72rem;margin:0 auto;padding:1rem}
footer{color:var(--soft);padding:1rem;text-align:center;font-size:.875rem}
h1{font-size:1.5rem;margin:.4rem 0 .8rem}h2{font-size:1.15rem;margin:1.6rem 0 .5rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem .45rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-size:.875rem;white-space:nowrap}
td{min-width:4.5rem;overflow-wrap:break-word}td:last-child{overflow-wrap:anywhere}td time{white-space:nowrap}
.sum{text-align:right}th.sum{white-space:normal}.sum:not(:last-child){padding-right:1.4rem}
td.sum .unit{display:none}th.sum:not([data-unit=""])::after{content:" (" attr(data-unit) ")"}
tfoot td{font-weight:700;border-top:2px solid var(--soft)}
.money{white-space:nowrap;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:minmax(8rem,13rem) 1fr;gap:.3rem 1rem;margin:0 0 1rem}
dt{color:var(--soft)}dd{margin:0}
form p{margin:.6rem 0}
label,legend{display:block;font-weight:600}
fieldset label{font-weight:400}.group p label{font-weight:600}
.group:not(:has(>label>:checked))>div{display:none}fieldset{border:1px solid var(--line);margin:.6rem 0}
input[type=text],input[type=password],input[type=date],textarea,select{width:100%;max-width:34rem;
padding:.45rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);
border-radius:4px}
button{font:inherit;font-weight:600;padding:.5rem 1rem;border:1px solid var(--act);border-radius:4px;
background:var(--act);color:var(--paper);cursor:pointer}
header button,.filters button{background:transparent;color:var(--act)}
.filters{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:end}.filters p{flex:1 1 12rem;max-width:24rem}
small,.note{color:var(--soft);display:block;font-size:.875rem}
.wrong{color:var(--bad)}
.problem,.done{border-left:5px solid var(--bad);background:var(--band);padding:.6rem 1rem;margin:0 0 1rem}
.done{border-color:var(--good)}
details{border:1px solid var(--line);border-radius:4px;padding:.4rem .8rem;margin:.6rem 0}
summary{cursor:pointer;font-weight:600}
.card{border:1px solid var(--line);border-radius:4px;padding:.8rem 1rem;margin:0 0 1rem}
.card h2{margin-top:0}
code{font-size:.875rem}
pre{overflow-x:auto;white-space:pre-wrap}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1rem}
figure{margin:0 0 1rem}figure svg{display:block;width:100%;height:7rem;background:var(--band)}
figcaption small{display:inline;margin-left:.8rem}
figcaption{font-weight:600}.key{font-weight:400;font-size:.875rem;margin-left:.8rem;white-space:nowrap}
.key::before{content:"";display:inline-block;width:.8em;height:.8em;margin-right:.3em;background:var(--act)}
.key.s1::before{background:var(--ink);height:2px;vertical-align:.3em}
.key.s2::before{background:var(--bad);height:2px;vertical-align:.3em}
path.s0,.balanced{fill:var(--act)}
.line{fill:none;stroke:var(--act);stroke-width:2;vector-effect:non-scaling-stroke}
.line.s1{stroke:var(--ink);stroke-dasharray:5 4}.line.s2{stroke:var(--bad)}
.axis{display:flex;justify-content:space-between;margin:0;color:var(--soft);font-size:.875rem}
.squares p{display:grid;grid-template-columns:6rem 1fr;gap:.6rem;align-items:center;margin:0}
.squares svg{height:auto}
.closed{fill:var(--good)}.open{fill:var(--bad)}.missing{fill:var(--line)}
.key.closed::before{background:var(--good)}.key.open::before{background:var(--bad)}
.key.missing::before{background:var(--line)}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}
.numbers dd{font-size:1.3rem;font-weight:700;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}.plain td{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
ul{padding-left:1.2rem;margin:.2rem 0}
@media print{body>header,.filters,.pages,details,form,footer{display:none}}
@media(max-width:60rem){
dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}
table:not(.plain) thead{position:absolute;left:-999px}
table:not(.plain),table:not(.plain) :is(tbody,tfoot,tr,td){display:block}
table:not(.plain) tr{border-bottom:1px solid var(--line);padding:.5rem 0}
table:not(.plain) td{border:0;padding:.1rem 0}
nav ul{position:static}.squares p{grid-template-columns:1fr;gap:0}
.sum{text-align:left}td.sum .unit{display:inline}
td[data-head]::before{content:attr(data-head) ": ";color:var(--soft)}
}
`;

/** Pages run no scripts, load nothing and have no frames. Forms post only to the desk. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
