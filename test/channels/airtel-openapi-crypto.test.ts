import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { encryptPin, readPublicKey, sign } from '../../src/channels/airtel-openapi/crypto.ts';
import { encryptPkcs1 } from '../../src/channels/kit/pkcs1.ts';

/** Vectors made with an independent client (airtelmoney-py 1.0.6); PKCS#1 padding fixed to 0x55. */
const KEY =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCqFU7xmlMudStVMCQLdqkZT0aB2egh4ea9E1xcq+fLtxphUGSj86DT7HtuEhelIE00IUabEtSWKSP5T5AdgGdDOvzGvInjpYdrxj0Yi+wAnbNtJ7FGjPUCrsgWKosxnD8qowCvnxfYGxxtKFpvMx3ap9pHsJX5mVf0vh29poI4PQIDAQAB';
const BODY =
  '{"reference":"Order1","subscriber":{"country":"TZ","currency":"TZS","msisdn":"780000001"},"transaction":{"amount":1500,"country":"TZ","currency":"TZS","id":"0198c0de000070008000000000000004"}}';
const fixedPadding = () => 0x55;
const counting = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index));

describe('what Airtel has us encrypt', () => {
  const key = readPublicKey(KEY);

  it('signs a body as an independent client does, byte for byte', () => {
    assert.equal(Buffer.byteLength(BODY), 192);
    const signature = sign(key, BODY, { aesKey: counting(32), iv: counting(16), padding: fixedPadding });
    assert.equal(
      signature.signature,
      '3PFP2258o5qRljr9Pejx1LsjICgRspd7tbKGjj5ytpcHxhwDsQHwfuJfF+iDHzR47BWroexTDbFe85je9UFbDHmAYwibHHzxMD/eSQXFJMrnojPccoRerhMTEA4/qdaZyYrQUBqTPCMd4QTKG9+4d5aR5jcNJHDQP2+ewpa+JKEcCAK0kc05P2kpzX5dgO/7XOIRg/xHGEV5yL3hzm5K2WLMMb0eYJt00aiKqBPxBlw5TObyEHD59fW6UkIo2JTq88GRJrQpOY7QHiDeqFEESg==',
    );
    assert.equal(
      signature.key,
      'mt69zKV+loEksmmthhSAN7Xgdr3JhBRZz5gJ3WpfDCOaJv0G5FT3CUmB/IgxYP4amA2I187YOXGEwqblyeeju60NdsIXF8I4Aja6MCz8d3eGyckvX55Iqf9sqxRjM3DnA9Vtg+q6crqRR8f484QapuXmQHp38tErt6APNh1ZKRE=',
    );
  });

  it('encrypts a PIN as the vector says', () => {
    assert.equal(
      encryptPkcs1(key, '1234', fixedPadding),
      'BLkhqfL9z7GptQXqV/ujKTfa/qzJM/YRNN2d6x8nNcBpj3Qu9wyYtazugG6v+1mc9mt2+ub4lz9Yz3pAs/g0G/oUqDtEFseq1gx8pgAcEJy9yIw7j9s3G5FrFNOFew8aoaPIbr6X37rky19frclThbIy+XajqHkRJF4V0eu+A+Y=',
    );
  });

  it('never encrypts the same twice alike, and never pads with a zero', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const seen = new Set<string>();
    for (let round = 0; round < 50; round += 1) {
      const text = encryptPin(publicKey, '1234', 'pkcs1');
      seen.add(text);
      const padding = constants.RSA_NO_PADDING;
      const block = privateDecrypt({ key: privateKey, padding }, Buffer.from(text, 'base64'));
      assert.equal(block.indexOf(0, 2), 128 - 5, 'the first zero after the start ends the padding');
      assert.equal(block.subarray(-4).toString(), '1234');
    }
    assert.equal(seen.size, 50);
  });

  it('encrypts with OAEP and SHA-256 where the account wants it', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = encryptPin(publicKey, '1234', 'oaep');
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const pin = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha256' }, Buffer.from(text, 'base64'));
    assert.equal(pin.toString(), '1234');
  });

  it('reads a key as PEM, too, and refuses what is too long for a key', () => {
    const pem = key.export({ format: 'pem', type: 'spki' }).toString();
    assert.equal(encryptPkcs1(readPublicKey(pem), 'x', fixedPadding), encryptPkcs1(key, 'x', fixedPadding));
    assert.throws(() => encryptPkcs1(key, 'x'.repeat(118)), RangeError);
    assert.throws(() => readPublicKey('bm9uZQ=='));
  });
});
