// The style of a page: light and dark, wide and narrow, on paper. Charts use the same colour names as web/charts; all texts
// have a contrast of at least 4.5.

const day = `--page:#ffffff;--ink:#16222e;--soft:#52616f;--faint:#dfe6ec;--panel:#f4f7f9;--link:#1f4fe0;--warn:#9a3412;--good:#00602a;--heat:#113b85;--heat-worse:#7e2207;--on-pale:#000000;--on-heat:#ffffff;--alarm:#c0281c;--series-1:#1f4fe0;--series-2:#a85a00;--series-3:#84247a;--series-4:#00602a;--series-5:#0b7496;--series-6:#c41f78;--series-7:#7830cc;--series-rest:#63717f`;
const night = `--page:#0e1721;--ink:#e6eef5;--soft:#9fb0c0;--faint:#26374a;--panel:#15212e;--link:#7fb2ff;--warn:#ffb38a;--good:#4fd68d;--heat:#62a2f5;--heat-worse:#f58147;--on-pale:#ffffff;--on-heat:#000000;--alarm:#ff8a7a;--series-1:#68a4f8;--series-2:#eda33a;--series-3:#fbb9f0;--series-4:#34e08c;--series-5:#6cc4dc;--series-6:#fb6c9c;--series-7:#b49cfc;--series-rest:#94a5b5`;

export const style = `
:root{color-scheme:light dark;${day}}
@media screen and (prefers-color-scheme:dark){:root{${night}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:82rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em}
p,blockquote,ul{max-width:46rem}
h2{font-size:1.4rem;line-height:1.3;margin:3.5rem 0 1rem;padding-top:1rem;border-top:2px solid var(--ink)}
h3{font-size:1.1rem;line-height:1.35;margin:0 0 .5rem}
p,ul{margin:.5rem 0}
p+article{margin-top:1rem}
a{color:var(--link)}
code{display:inline-block;max-width:100%;font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--panel);padding:0 .3em;border-radius:3px}
.moment{white-space:nowrap}
.quiet,.subtitle,footer{color:var(--soft)}
.warning{color:var(--warn)}.bad{color:var(--alarm)}
.good{color:var(--good);font-weight:600}
.subtitle{margin:0 0 1rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:0 0 1.75rem;font-size:.9rem}
blockquote{margin:.75rem 0;padding:.25rem 0 .25rem 1rem;border-left:3px solid var(--series-1);white-space:pre-line}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:0 0 1.5rem;padding:0}
.figures div{background:var(--panel);border-radius:8px;padding:.75rem 1rem}
.figures dt{font-size:.8rem;color:var(--soft)}
.figures dd{margin:0;font-size:.8rem;color:var(--soft)}
.figures dd.value{font-size:1.6rem;line-height:1.25;font-weight:650;color:var(--ink);font-variant-numeric:tabular-nums}
aside{max-width:46rem;margin:.5rem 0}
aside.warning{border-left:3px solid var(--warn);padding:.15rem 0 .15rem .75rem;margin:.35rem 0}
article{margin:0 0 2.25rem;padding:0 0 0 1.25rem;border-left:2px solid var(--faint)}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;line-height:1.4}
th{text-align:left;font-weight:600;color:var(--soft);vertical-align:bottom}
th,td{padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--faint)}
td{vertical-align:top}
.scroll{overflow-x:auto}
.scroll td,.scroll th{white-space:nowrap}
.scroll.wraps td:last-child{white-space:normal;min-width:16rem}
.scroll.wraps tbody th{vertical-align:top}
.records{width:100%;table-layout:fixed;margin:.75rem 0}
.records th:nth-child(1){width:18%}.records th:nth-child(2){width:23%}.records th:nth-child(3){width:27%}
.records div+div{margin-top:.3rem}
.drawings{display:flex;flex-wrap:wrap;align-items:flex-start;gap:1rem;margin:1rem 0}
.drawings.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}
.drawing{flex:0 1 auto;min-width:0;max-width:100%;margin:0;background:var(--panel);border-radius:8px;padding:.75rem 1rem;break-inside:avoid}
.drawing.picture{background:none;border:1px solid var(--faint);max-width:27rem;padding:.6rem .7rem}
.drawing figcaption{font-size:.85rem;margin-bottom:.4rem}
.drawing img{display:block;max-width:100%;height:auto;margin:0 auto}
.drawing details{margin-top:.25rem;font-size:.8rem}
.drawing .source{font-size:.75rem;color:var(--soft);margin:.4rem 0 0}
.drawing .caption{font-size:.85rem;margin:0 0 .4rem;max-width:36rem}
.motion[open]+img{display:none}
.side{margin-top:1.5rem}
pre{margin:0;font:.78rem/1.35 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-x:auto;tab-size:4}
pre.code{background:var(--panel);border-radius:6px;padding:.75rem 1rem;margin:.75rem 0;white-space:pre-wrap}
dl.facts{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.3rem 1.25rem;font-size:.9rem;margin:.75rem 0}
dl.facts dt{color:var(--soft)}
dl.facts dd{margin:0}
.charts{display:grid;grid-template-columns:1fr 1fr;grid-auto-flow:dense;gap:2.5rem 2.5rem;align-items:start}
figure.chart{margin:0;min-width:0;grid-column:1/-1}
figure.chart.half{grid-column:auto}
.chart .caption{margin:0 0 .75rem}
.legend{max-width:none;display:flex;flex-wrap:wrap;align-items:center;gap:.2rem 1.1rem;list-style:none;margin:0 0 .6rem;padding:0;font-size:.82rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.4rem;vertical-align:-.08rem}
.legend .ramp{width:7rem;margin:0 .6rem;background:linear-gradient(to right,var(--page),var(--heat));border:1px solid var(--faint)}
.legend .difference{background:linear-gradient(to right,var(--heat-worse),var(--page),var(--heat))}
.chart svg{display:block;max-width:100%;height:auto;color:var(--ink)}
.narrow{display:none}
details{margin-top:.5rem;font-size:.9rem}
summary{cursor:pointer;color:var(--soft)}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--faint);font-size:.85rem}
@media screen and (min-width:70rem){
.split{display:grid;grid-template-columns:minmax(0,1fr) 20rem;gap:2rem;align-items:start}
main>.split{grid-template-columns:minmax(0,1fr) 26rem;gap:2.5rem}
.side{margin:0}.side>:first-child{margin-top:0}
.side .wide{display:none}.side .narrow,.side .charts{display:block}
}
@media screen and (min-width:80rem){
.charts{grid-template-columns:1fr 1fr 1fr}
figure.chart.whole{grid-column:auto/span 2}
:not(.side)>.charts.wholes figure.chart{grid-column:1/-1;display:grid;grid-template-columns:1fr 50rem;grid-template-rows:repeat(3,auto) 1fr;column-gap:2rem}
:not(.side)>.wholes .chart>*{grid-column:1}
:not(.side)>.wholes .chart>.wide{grid-column:2;grid-row:1/-1}
}
@media screen and (max-width:50rem){
main{padding:1.5rem 1.25rem 3rem}
h1{font-size:1.6rem}
article{padding-left:.9rem}
.charts{grid-template-columns:1fr}
figure.chart.half{grid-column:1/-1}
.records,.records tbody,.records tr,.records td{display:block;width:auto}
.records thead{display:none}
.records tr{background:var(--panel);border-radius:8px;padding:.6rem .9rem;margin:0 0 .75rem}
.records td{border:0;padding:.2rem 0}
.records td::before{content:attr(data-name);display:block;font-size:.75rem;color:var(--soft)}
.records td:first-child::before{content:none}
.records code{background:none;padding:0}
.scroll.wraps tr{display:flex;flex-wrap:wrap;border-bottom:1px solid var(--faint)}
.scroll.wraps :is(th,td){border:0;padding:.2rem .9rem .2rem 0;flex:0 0 5.4rem}
.scroll.wraps :is(th,td):first-child{flex:1 1 0;min-width:0;white-space:normal}
.scroll.wraps :is(th,td):last-child{flex:1 0 100%;min-width:0}
.drawing{width:100%}
.drawing pre{font-size:clamp(.5rem,calc((100vw - 6.6rem)/var(--columns)/.605),.78rem)}
dl.facts{grid-template-columns:1fr;gap:0}
dl.facts dd{margin-bottom:.5rem}
}
@media screen and (max-width:42rem){
.wide{display:none}.narrow{display:block}
}
@media print,(prefers-reduced-motion:reduce){
.motion{display:none}.motion[open]+img{display:block}
}
@media print{
@page{margin:16mm 14mm}
body{font-size:10.5pt}
main{max-width:none;padding:0}
nav,details{display:none}
pre{font-size:7.5pt}
h2,h3{break-after:avoid}
.charts{display:block}figure.chart{margin-bottom:2rem}
figure.chart,.drawing,.records tr,blockquote,.figures{break-inside:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`.trim();
