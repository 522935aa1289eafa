import { readFileSync } from 'node:fs'
const p = JSON.parse(readFileSync(process.argv[2]))
const self = new Map(); const dt = p.timeDeltas; const byId = new Map(p.nodes.map((n) => [n.id, n]))
let total = 0
p.samples.forEach((s, i) => { const n = byId.get(s); const f = n.callFrame; const k = `${f.functionName||'(anon)'} ${f.url.split('/').slice(-2).join('/')}:${f.lineNumber+1}`; self.set(k, (self.get(k)??0) + dt[i]); total += dt[i] })
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, +process.argv[3] || 32)) console.log((100 * v / total).toFixed(1), k)
