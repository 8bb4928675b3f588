import { existsSync } from 'node:fs';

type Program = [program: string, ...args: string[]];

/** How the documented code of a language is run: it reads cases from standard input and says "true false" for each. */
export type Harness = {
  name: string;
  /** the language of the block, and what is in it */
  block: [language: string, containing: string];
  needs: Program[];
  files(code: string): Record<string, string>;
  /** programs that prepare it, and last the one that runs it */
  run(folder: string): Program[];
};

const go = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go';

const PYTHON = `
import sys
from check import is_ours, has_service_signature
for line in sys.stdin:
    *given, tolerance = line.split()
    body, *rest = [bytes.fromhex(one) for one in given]
    passphrase, id, timestamp, standard, service = [one.decode() for one in rest]
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": standard}
    verdicts = [is_ours(body, headers, passphrase, int(tolerance)), has_service_signature(body, service, passphrase)]
    print(*[str(one).lower() for one in verdicts])
`;

const PHP = `<?php
require __DIR__ . '/check.php';
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    $given = explode(' ', $line);
    $tolerance = (int) array_pop($given);
    [$body, $passphrase, $id, $timestamp, $standard, $service] = array_map('hex2bin', $given);
    $headers = ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $standard];
    $verdicts = [is_ours($body, $headers, $passphrase, $tolerance), has_service_signature($body, $service, $passphrase)];
    echo implode(' ', array_map(fn ($one) => $one ? 'true' : 'false', $verdicts)), "\\n";
}
`;

const JAVA = `
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;

public final class Check {
    public static void main(String[] none) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] given = line.split(" ");
            byte[] body = HexFormat.of().parseHex(given[0]);
            Map<String, String> headers = Map.of("webhook-id", text(given[2]), "webhook-timestamp", text(given[3]),
                    "webhook-signature", text(given[4]));
            Duration tolerance = Duration.ofSeconds(Long.parseLong(given[6]));
            System.out.println(Callbacks.isOurs(body, headers, text(given[1]), tolerance) + " "
                    + Callbacks.hasServiceSignature(body, text(given[5]), text(given[1])));
        }
    }

    private static String text(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }
}
`;

const GO = `package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"check/callbacks"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		given := strings.Fields(lines.Text())
		text := make([]string, 6)
		for at := range text {
			bytes, _ := hex.DecodeString(given[at])
			text[at] = string(bytes)
		}
		headers := http.Header{}
		headers.Set("webhook-id", text[2])
		headers.Set("webhook-timestamp", text[3])
		headers.Set("webhook-signature", text[4])
		seconds, _ := strconv.Atoi(given[6])
		ours := callbacks.IsOurs([]byte(text[0]), headers, text[1], time.Duration(seconds)*time.Second)
		fmt.Println(ours, callbacks.HasServiceSignature([]byte(text[0]), text[5], text[1]))
	}
}
`;

export const harness: Harness[] = [
  {
    name: 'Python',
    block: ['python', 'def is_ours'],
    needs: [['python3', '--version']],
    files: (code) => ({ 'check.py': code, 'run.py': PYTHON }),
    run: (folder) => [['python3', `${folder}/run.py`]],
  },
  {
    name: 'PHP',
    block: ['php', 'function is_ours'],
    needs: [['php', '--version']],
    files: (code) => ({ 'check.php': `<?php\n${code}\n`, 'run.php': PHP }),
    run: (folder) => [['php', `${folder}/run.php`]],
  },
  {
    name: 'Java',
    block: ['java', 'class Callbacks'],
    // A JRE alone has no compiler.
    needs: [
      ['java', '-version'],
      ['javac', '-version'],
    ],
    files: (code) => ({ 'Callbacks.java': code, 'Check.java': JAVA }),
    run: (folder) => [
      ['javac', '-d', folder, `${folder}/Callbacks.java`, `${folder}/Check.java`],
      ['java', '-cp', folder, 'Check'],
    ],
  },
  {
    name: 'Go',
    block: ['go', 'func IsOurs'],
    needs: [[go, 'version']],
    files: (code) => ({ 'go.mod': 'module check\n', 'callbacks/callbacks.go': code, 'main.go': GO }),
    run: (folder) => [[go, 'build', '-C', folder, '-o', `${folder}/check`, '.'], [`${folder}/check`]],
  },
];
