import { bundle } from '../scripts/bundle.ts'
for (const dir of process.argv.slice(2)) {
const r = await bundle(`export { Agent } from '${dir}/packages/core/src/index.ts'`, { external: ['ai','@ai-sdk/provider','@opentelemetry/api'], conditions: ['@millrace/source'] })
console.log(dir, r.gzippedBytes)
}
