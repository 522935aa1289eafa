import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`

export default defineConfig({
  plugins: [react()],
  // In development, Vite serves the page, and src/main.ts everything else.
  server: { proxy: { '/api': server, '/session': server } },
})
