import { fileOf } from '../packages/interop/test/bytes/generated-file.ts'
import { readText } from '../packages/guards/src/guard/bytes/text-of-bytes.ts'
for (const seed of process.argv.slice(2).map(Number)) {
  const f = fileOf(seed)
  console.log(seed, f.mediaType, JSON.stringify(f.url.slice(0, 120)), JSON.stringify(Buffer.from(f.bytes).toString('latin1').slice(0, 100)), f.bytes.length)
  console.log(readText(f.bytes, []))
}
