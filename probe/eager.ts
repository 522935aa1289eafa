import { rolldown } from 'rolldown'
import { gzipSync } from 'node:zlib'
const build = await rolldown({ input: 'x', external: ['ai','@ai-sdk/provider','@opentelemetry/api'], resolve:{conditionNames:['@millrace/source','import']}, plugins:[{name:'v',resolveId(id){if(id==='x')return '\0x'},load(id){if(id==='\0x')return "export { Agent } from '/work/wt/approvals/packages/core/src/index.ts'"}}], treeshake:true})
const { output } = await build.generate({ minify: true })
const c = output.find(o=>o.type==='chunk'&&o.isEntry)
const seen = new Set([c.fileName]); const q=[c]
const rows=[]
while(q.length){const k=q.pop(); for(const [id,m] of Object.entries(k.modules)) rows.push([m.renderedLength,id.replace(/.*packages.core.src./,'')]); for(const i of k.imports){ if(!seen.has(i)){seen.add(i); const n=output.find(o=>o.fileName===i); if(n) q.push(n)}}}
rows.sort((a,b)=>b[0]-a[0])
for(const r of rows) console.log(r.join(' '))
