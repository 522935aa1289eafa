import { build } from 'esbuild'
for (const dir of process.argv.slice(2)) {
const { metafile } = await build({ stdin: { contents: `export { Agent } from '${dir}/packages/core/src/index.ts'`, resolveDir: dir }, bundle: true, minify: true, format: 'esm', splitting: true, outdir: 'out', platform: 'neutral', conditions: ['@millrace/source'], external: ['ai','@ai-sdk/provider','@opentelemetry/api'], write: false, metafile: true, logLevel: 'error', loader: {'.bin':'binary'} })
const outs = metafile.outputs; const entry = Object.keys(outs).find(k=>outs[k].entryPoint?.includes('stdin'))
const seen=new Set([entry]); const q=[entry]
while(q.length){ for(const i of outs[q.pop()].imports) if(i.kind==='import-statement'&&outs[i.path]&&!seen.has(i.path)){seen.add(i.path);q.push(i.path)} }
const rows=[]; for(const s of seen) for(const [id,{bytesInOutput:b}] of Object.entries(outs[s].inputs)) rows.push(`${id.replace(/.*packages.core.src./,'')} ${b}`)
await (await import('node:fs/promises')).writeFile(`/tmp/ap/in_${dir.split('/').pop()}`, rows.sort().join('\n')+`\nchunks ${seen.size}\n`)
}
